// SPDX-License-Identifier: Apache-2.0

// When placing begins and ends: as the library is loaded, as a process ends, and in children of fork(); and the stacks
// of threads.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "placer/large.hpp"
#include "placer/placer.hpp"
#include "placer/telling.hpp"
#include "placer/unnoticed.hpp"

namespace weir::placer {

constinit Placer the_placer;

namespace {

struct Identity {
  int pid = 0;  // the process that tells: a child of vfork(), which shares all memory, does not
  unsigned long long space = 0,
                     start = 0;  // of process numbers; when it began: both stay as it becomes another program
};
Identity self;
// Of the forking thread, whose fork() waits for the surveyor and for who tells.
thread_local bool holds_surveyor __attribute__((tls_model("initial-exec"))) = false;
thread_local bool holds_telling __attribute__((tls_model("initial-exec"))) = false;
pthread_key_t stack_key;
bool has_own_malloc = false;
Lock telling;          // guards all below
bool told = false;     // or begun to
char line_text[4096];  // a program's stack may be too small for it

// A line of wire.hpp; printf() takes kilobytes of stack.
class Line {
 public:
  Line& put(const char* words) noexcept {
    for (; *words != 0 && length_ < sizeof line_text; ++words) line_text[length_++] = *words;
    return *this;
  }
  Line& put(unsigned long long number) noexcept {
    char digits[24];
    char* at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    return put(at);
  }
  // A line holds at most 64 bytes of it.
  Line& put_name(const char* name) noexcept {
    for (int i = 0; i < 64 && name[i] != 0 && length_ < sizeof line_text; ++i)
      line_text[length_++] = name[i] == '\n' ? '?' : name[i];
    return *this;
  }
  std::size_t length() const noexcept { return length_; }

 private:
  std::size_t length_ = 0;
};

// While one lives, a write beyond the limit on the length of files (ulimit -f) fails, and does not end the program.
class FileLimitIsNoSignal {
 public:
  FileLimitIsNoSignal() noexcept {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigpending(&pending);
    is_the_programs_ = sigismember(&pending, SIGXFSZ) != 0;
  }
  ~FileLimitIsNoSignal() {
    constexpr timespec kNow{};
    if (!is_the_programs_) sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIsNoSignal(const FileLimitIsNoSignal&) = delete;
  FileLimitIsNoSignal& operator=(const FileLimitIsNoSignal&) = delete;

 private:
  sigset_t signal_, before_;
  bool is_the_programs_ = false;  // one that was pending before
};

// One write, so that lines of several processes do not mix.
void tell(const Line& line) noexcept {
  const FileLimitIsNoSignal no_signal;
  const int file = open(the_placer.settings.report, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t written = write(file, line_text, line.length());
  (void)written;  // a full disk: weir misses the line, and says so
  close(file);
}

// The 22nd word of "PID (NAME) STATE ...", where NAME may have anything in it; 0 when /proc does not tell.
unsigned long long start_of_process() noexcept {
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = ::read(file, line_text, sizeof line_text - 1);
  close(file);
  if (length <= 0) return 0;
  line_text[length] = 0;
  const char* at = strrchr(line_text, ')');
  for (int word = 2; at != nullptr && word < 22; ++word) at = strchr(at + 1, ' ');
  return at == nullptr ? 0 : strtoull(at, nullptr, 10);
}

Identity identity() noexcept {
  struct stat status {};
  const bool known = stat("/proc/self/ns/pid", &status) == 0;
  return {getpid(), known ? status.st_ino : 0, start_of_process()};
}

Line& put_self(Line& line) noexcept {
  return line.put(static_cast<unsigned long long>(self.pid)).put(" ").put(self.space).put(":").put(self.start);
}

void tell_start() noexcept {
  const Unnoticed unnoticed;
  self = identity();
  Line line;
  tell(put_self(line.put("start ")).put("\n"));
}

void tell_counts() noexcept {
  const Count& count = the_placer.surveyor.last();
  Line line;
  put_self(line.put("end ")).put(" ");
  line.put(static_cast<unsigned long long>(the_placer.failures.load()));
  if (has_own_malloc) line.put(" ").put(kOwnMalloc);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t node = 0; node < kMostNodes && line.length() < sizeof line_text - 160; ++node) {
      const unsigned long long bytes = count.bytes[kind][node];
      if (bytes > 0) line.put(" ").put(kind).put(":").put(node).put(":").put(bytes);
    }
  }
  tell(line.put(" ").put(kName).put(" ").put_name(program_invocation_short_name).put("\n"));
}

// Without effect in a signal handler that has interrupted it.
void tell_end() noexcept {
  if (!the_placer.settings.active || the_placer.restricted) return;
  if (getpid() != self.pid || !telling.hold_at_end()) return;
  const Unnoticed unnoticed;
  if (!told) {
    told = true;
    tell_counts();
  }
  telling.release();
}

// Whoever reads or writes a file has closed it by then: its descriptor is none of the child's.
void before_fork() {
  holds_telling = telling.hold_at_end();
  holds_surveyor = the_placer.surveyor.hold();
  the_placer.large.hold();
  the_placer.stacks.hold();
  the_placer.kept.hold();
}

void release_tables() {
  the_placer.kept.release();
  the_placer.stacks.release();
  the_placer.large.release();
}

void after_fork() {
  release_tables();
  if (holds_surveyor) the_placer.surveyor.release();
  if (holds_telling) telling.release();
}

void after_fork_in_child() {
  release_tables();
  telling.open_in_child();
  the_placer.surveyor.open_in_child();
  if (the_placer.restricted) return;
  told = false;
  the_placer.failures = 0;
  the_placer.surveyor.begin_again();
  tell_start();
}

void forget_stack(void* begin) {
  consider();
  the_placer.stacks.take(reinterpret_cast<std::uintptr_t>(begin));
}

void enter_stack() noexcept {
  if (the_placer.restricted) return;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* data = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &data, &size);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (the_placer.stacks.add({begin, begin + size})) pthread_setspecific(stack_key, data);
}

// What a thread begins with: `Result` is void* where POSIX has made it, int where C has.
template <class Result>
struct Start {
  Result (*function)(void*);
  void* argument;
};

template <class Result>
Result begin_thread(void* given) {
  const Start<Result> start = *static_cast<Start<Result>*>(given);
  free(given);
  enter_stack();
  return start.function(start.argument);
}

// Null: no memory.
template <class Result>
Start<Result>* start_of_thread(Result (*function)(void*), void* argument) noexcept {
  auto* const start = static_cast<Start<Result>*>(malloc(sizeof(Start<Result>)));
  if (start != nullptr) *start = {function, argument};
  return start;
}

bool are_stacks_entered() noexcept { return the_placer.settings.active && !the_placer.restricted; }

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using CreateInC = int (*)(thrd_t*, thrd_start_t, void*);
std::atomic<Create> next_create{nullptr};
std::atomic<CreateInC> next_create_in_c{nullptr};

template <class Function>
Function find_next(std::atomic<Function>& place, const char* name) noexcept {
  if (auto* const found = place.load(); found != nullptr) return found;
  place = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  return place.load();
}

// A program that has malloc() in itself, and not in a library, calls that one.
bool serves_large_allocations() noexcept {
  const std::size_t from = the_placer.settings.from;
  if (from == SIZE_MAX) return true;
  void* const data = malloc(from);
  const bool is_large = size_of_large(data) > 0;
  free(data);
  give_back_kept();
  return is_large;
}

__attribute__((constructor)) void begin() {
  find_next(next_create, "pthread_create");
  find_next(next_create_in_c, "thrd_create");
  const char* const text = getenv(kVariable);
  if (text == nullptr) return;
  read(the_placer.settings, text);
  if (!the_placer.settings.active) return;
  if (pthread_key_create(&stack_key, &forget_stack) != 0 ||
      pthread_atfork(&before_fork, &after_fork, &after_fork_in_child) != 0)
    return;
  has_own_malloc = !serves_large_allocations();
  tell_start();
}

__attribute__((destructor)) void end() { tell_end(); }

}  // namespace

bool tell_and_be_quiet() noexcept {
  if (!the_placer.settings.active || the_placer.restricted || getpid() != self.pid || !telling.hold_at_end())
    return false;
  {
    const Unnoticed unnoticed;
    if (!told) tell_counts();
  }
  told = true;
  the_placer.restricted = true;
  give_back_kept();  // nothing takes it from there on
  telling.release();
  return true;
}

void be_quiet_no_longer() noexcept {
  the_placer.restricted = false;
  the_placer.surveyor.go_on();
  told = false;
}

}  // namespace weir::placer

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_PLACER_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                                      void* argument) {
  auto* const next = weir::placer::find_next(weir::placer::next_create, "pthread_create");
  if (!weir::placer::are_stacks_entered()) return next(thread, attributes, function, argument);
  auto* const start = weir::placer::start_of_thread(function, argument);
  if (start == nullptr) return EAGAIN;
  const int failed = next(thread, attributes, &weir::placer::begin_thread<void*>, start);
  if (failed != 0) free(start);
  return failed;
}

WEIR_PLACER_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* const next = weir::placer::find_next(weir::placer::next_create_in_c, "thrd_create");
  if (!weir::placer::are_stacks_entered()) return next(thread, function, argument);
  auto* const start = weir::placer::start_of_thread(function, argument);
  if (start == nullptr) return thrd_nomem;
  const int failed = next(thread, &weir::placer::begin_thread<int>, start);
  if (failed != thrd_success) free(start);
  return failed;
}

// Ends that run no destructors.
WEIR_PLACER_EXPORT void _exit(int status) {
  weir::placer::tell_end();
  for (;;) syscall(SYS_exit_group, status);
}

WEIR_PLACER_EXPORT void _Exit(int status) { _exit(status); }
