// SPDX-License-Identifier: Apache-2.0

// When placing begins and ends: as the library is loaded, as a process ends, and in children of fork(); and the stacks
// of threads.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "placer/placer.hpp"

namespace weir::placer {

constinit Placer the_placer;

namespace {

int self = 0;  // the process that tells: a child of vfork(), which shares all memory, does not
pthread_key_t stack_key;
bool told = false;

// One write, so that lines of several processes do not mix.
void tell(const char* line, int length) noexcept {
  const int file = open(the_placer.settings.report, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t written = write(file, line, static_cast<std::size_t>(length));
  (void)written;  // a full disk: weir misses the line, and says so
  close(file);
}

void tell_start() noexcept {
  char line[64];
  tell(line, snprintf(line, sizeof line, "start %d\n", self));
}

void tell_end() noexcept {
  if (!the_placer.settings.active || told || getpid() != self) return;
  told = true;
  const Count& count = the_placer.surveyor.last();
  char line[4096];
  int at = snprintf(line, sizeof line, "end %d %d", self, the_placer.failures.load());
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t node = 0; node < kMostNodes && at < int(sizeof line) - 128; ++node) {
      const auto bytes = static_cast<unsigned long long>(count.bytes[kind][node]);
      if (bytes > 0) at += snprintf(line + at, sizeof line - std::size_t(at), " %zu:%zu:%llu", kind, node, bytes);
    }
  }
  at += snprintf(line + at, sizeof line - std::size_t(at), " %.64s\n", program_invocation_short_name);
  tell(line, at);
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
  told = false;
  the_placer.failures = 0;
  the_placer.surveyor.begin_again();
  tell_start();
}

void forget_stack(void* begin) { the_placer.stacks.take(reinterpret_cast<std::uintptr_t>(begin)); }

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

__attribute__((constructor)) void begin() {
  const char* const text = getenv(kVariable);
  if (text == nullptr) return;
  read(the_placer.settings, text);
  if (!the_placer.settings.active) return;
  self = getpid();
  if (pthread_key_create(&stack_key, &forget_stack) != 0 ||
      pthread_atfork(&before_fork, &after_fork, &after_fork_in_child) != 0)
    return;
  tell_start();
}

__attribute__((destructor)) void end() { tell_end(); }

}  // namespace

}  // namespace weir::placer

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_PLACER_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                                      void* argument) {
  using weir::placer::begin_thread, weir::placer::Start, weir::placer::the_placer;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
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
