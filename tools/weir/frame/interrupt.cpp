#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "pending_file.hpp"
#include "terminal.hpp"

namespace weir::tool {

namespace {

// Async-signal-safe. The action is back at its default (SA_RESETHAND), so raise() ends the program; _exit() is for
// the first process of a container, which default actions do not end.
extern "C" void stop(int signal_number) {
  remove_pending_files();
  clear_progress();
  raise(signal_number);
  _exit(128 + signal_number);
}

}  // namespace

void handle_interrupts() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup, or a job that a script put in the background
    struct sigaction action {};
    action.sa_handler = &stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace weir::tool
