// SPDX-License-Identifier: Apache-2.0

#include "interrupt.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "explain/service.hpp"
#include "platform/temporary_name.hpp"
#include "status_line.hpp"
#include "terminal.hpp"

namespace weir::tool {

namespace {

// Async-signal-safe. _exit() is for the first process of a container, which default actions do not end.
[[noreturn]] void let_end(int signal_number) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal_number, &standard, nullptr);
  sigset_t self;
  sigemptyset(&self);
  sigaddset(&self, signal_number);
  raise(signal_number);  // pending until it is unblocked
  pthread_sigmask(SIG_UNBLOCK, &self, nullptr);
  _exit(128 + signal_number);
}

// Whose files they are: a child of it that has no program of its own yet leaves them there.
pid_t the_owner = 0;

// Async-signal-safe. A second signal may come meanwhile, on another thread, too (timeout(1) sends two): each removes
// all before it lets the default action end the program.
extern "C" void stop(int signal_number) {
  if (getpid() == the_owner) {
    platform::remove_temporary_files();
    end_progress();
    end_status_line();
  }
  let_end(signal_number);
}

// Those that end a process: of a user, of limits and timers, and of a mistake in it, which are not blocked meanwhile.
constexpr int kSignals[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGPIPE, SIGQUIT, SIGUSR1, SIGUSR2,
                            SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR,  SIGPOLL, SIGSTKFLT};
constexpr int kFaults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

// A file has become as large as it may (ulimit -f): what writes it is told by write(), and says which file. With a
// handler, not ignored: programs that are run would ignore it, too.
extern "C" void go_on(int) {}

void take_signal(int signal_number, void (*handler)(int), int flags) {
  struct sigaction before {};
  sigaction(signal_number, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;  // nohup, a job that a script put in the background, a sanitizer
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int blocked : kSignals) sigaddset(&action.sa_mask, blocked);
  for (int blocked = SIGRTMIN; blocked <= SIGRTMAX; ++blocked) sigaddset(&action.sa_mask, blocked);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void handle_interrupts() {
  std::signal(SIGCHLD, SIG_DFL);  // the parent may have ignored it, which programs inherit
  the_owner = getpid();
  for (const int signal_number : kSignals) take_signal(signal_number, &stop, 0);
  for (int signal_number = SIGRTMIN; signal_number <= SIGRTMAX; ++signal_number) take_signal(signal_number, &stop, 0);
  for (const int signal_number : kFaults) take_signal(signal_number, &stop, SA_ONSTACK);
  explain::take_signal_from(&stop);
  take_signal(SIGXFSZ, &go_on, SA_RESTART);
}

void end_by(int signal_number) {
  platform::remove_temporary_files();
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);  // the dump is the program's
  let_end(signal_number);
}

}  // namespace weir::tool
