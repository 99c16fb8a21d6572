// SPDX-License-Identifier: Apache-2.0

// When placing begins and ends: as the library is loaded, as a process ends, and in children of fork(); and the stacks
// of threads.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "placer/large.hpp"
#include "placer/placer.hpp"
#include "placer/unnoticed.hpp"

namespace weir::placer {

constinit Placer the_placer;

namespace {

int self = 0;  // the process that tells: a child of vfork(), which shares all memory, does not
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

void tell_start() noexcept {
  const Unnoticed unnoticed;
  tell(Line().put("start ").put(static_cast<unsigned long long>(self)).put("\n"));
}

void tell_counts() noexcept {
  const Count& count = the_placer.surveyor.last();
  Line line;
  line.put("end ").put(static_cast<unsigned long long>(self)).put(" ");
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
  if (!the_placer.settings.active || getpid() != self || !telling.hold_at_end()) return;
  const Unnoticed unnoticed;
  if (!told) {
    told = true;
    tell_counts();
  }
  telling.release();
}

void before_fork() {
  the_placer.large.hold();
  the_placer.stacks.hold();
}

void after_fork() {
  the_placer.stacks.release();
  the_placer.large.release();
}

void after_fork_in_child() {
  after_fork();
  self = getpid();
  telling.open_in_child();
  told = false;
  the_placer.failures = 0;
  the_placer.surveyor.begin_again();
  tell_start();
}

void forget_stack(void* begin) {
  the_placer.surveyor.consider();
  the_placer.stacks.take(reinterpret_cast<std::uintptr_t>(begin));
}

void enter_stack() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* data = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &data, &size);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (the_placer.stacks.add({begin, begin + size})) pthread_setspecific(stack_key, data);
}

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* begin_thread(void* given) {
  const Start start = *static_cast<Start*>(given);
  free(given);
  enter_stack();
  return start.function(start.argument);
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
std::atomic<Create> next_create{nullptr};

Create find_next_create() noexcept {
  if (auto* const found = next_create.load(); found != nullptr) return found;
  next_create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return next_create.load();
}

// A program that has malloc() in itself, and not in a library, calls that one.
bool serves_large_allocations() noexcept {
  const std::size_t from = the_placer.settings.from;
  if (from == SIZE_MAX) return true;
  void* const data = malloc(from);
  const bool is_large = size_of_large(data) > 0;
  free(data);
  return is_large;
}

__attribute__((constructor)) void begin() {
  find_next_create();
  const char* const text = getenv(kVariable);
  if (text == nullptr) return;
  read(the_placer.settings, text);
  if (!the_placer.settings.active) return;
  self = getpid();
  if (pthread_key_create(&stack_key, &forget_stack) != 0 ||
      pthread_atfork(&before_fork, &after_fork, &after_fork_in_child) != 0)
    return;
  has_own_malloc = !serves_large_allocations();
  tell_start();
}

__attribute__((destructor)) void end() { tell_end(); }

}  // namespace

}  // namespace weir::placer

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_PLACER_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                                      void* argument) {
  using weir::placer::begin_thread, weir::placer::Start, weir::placer::the_placer;
  auto* const next = weir::placer::find_next_create();
  if (!the_placer.settings.active) return next(thread, attributes, function, argument);
  auto* const start = static_cast<Start*>(malloc(sizeof(Start)));
  if (start == nullptr) return EAGAIN;
  *start = {function, argument};
  const int failed = next(thread, attributes, &begin_thread, start);
  if (failed != 0) free(start);
  return failed;
}

// Ends that run no destructors.
WEIR_PLACER_EXPORT void _exit(int status) {
  weir::placer::tell_end();
  for (;;) syscall(SYS_exit_group, status);
}

WEIR_PLACER_EXPORT void _Exit(int status) { _exit(status); }
