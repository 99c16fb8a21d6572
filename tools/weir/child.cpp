// SPDX-License-Identifier: Apache-2.0

#include "child.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "platform/child_end.hpp"
#include "status_line.hpp"

namespace weir::tool {

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::atomic<pid_t> signalled_child{0};
std::atomic<int> asked_to_end{0};

// A terminal sends it to the program, too; whoever uses kill(1) does not.
void hand_on(int number, siginfo_t* info, void*) {
  const int before = errno;
  if (number != SIGUSR1 && number != SIGUSR2) asked_to_end = number;
  if (info->si_code != SI_KERNEL && signalled_child != 0) kill(signalled_child, number);
  errno = before;
}

// Stops as a job does, with a whole terminal for the shell. The line comes back with the next look.
void stop_as_job(int) {
  const int before = errno;
  end_status_line();
  raise(SIGSTOP);
  errno = before;
}

class HandedOn {
 public:
  explicit HandedOn(pid_t child) {
    signalled_child = child;
    asked_to_end = 0;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;  // the program ignores it, too
      struct sigaction action {};
      action.sa_flags = SA_RESTART;
      if (kSignals[i] == SIGTSTP) {
        action.sa_handler = &stop_as_job;
      } else {
        action.sa_sigaction = &hand_on;
        action.sa_flags |= SA_SIGINFO;
      }
      sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~HandedOn() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    signalled_child = 0;
  }
  HandedOn(const HandedOn&) = delete;
  HandedOn& operator=(const HandedOn&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};
  struct sigaction before_[std::size(kSignals)]{};
};

}  // namespace

int file_for(ChildOutput output) noexcept {
  if (output == ChildOutput::to_error) return STDERR_FILENO;
  return output == ChildOutput::nothing ? platform::Command::kNothing : platform::Command::kInherited;
}

base::Result<Child> Child::start(const std::vector<std::string>& words, const Variables& variables,
                                 ChildOutput output) {
  platform::Command command{words, variables};
  command.out = file_for(output);
  return start(command);
}

base::Result<Child> Child::start(const platform::Command& command) {
  std::fflush(stdout);
  const double start_s = now_s();
  auto process = platform::Process::start(command);
  if (!process) return process.status();
  return Child(*process, start_s);
}

ChildEnd Child::wait(const std::function<void()>& at_end) {
  {
    const HandedOn handed_on(process_.pid());
    platform::wait_for_end(process_.pid());
  }
  const double seconds = now_s() - start_s_;
  if (at_end) at_end();
  const platform::ProcessEnd end = process_.wait();
  return {end.status, end.signal, asked_to_end, seconds};
}

}  // namespace weir::tool
