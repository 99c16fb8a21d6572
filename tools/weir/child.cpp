// SPDX-License-Identifier: Apache-2.0

#include "child.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "status_line.hpp"

namespace weir::tool {

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const Child::Variables& variables) {
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(fmt::format("{}={}", name, value));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto is_ours = [name = text.substr(0, text.find('='))](const auto& ours) { return ours.first == name; };
    if (std::none_of(variables.begin(), variables.end(), is_ours)) result.emplace_back(text);
  }
  return result;
}

std::atomic<pid_t> signalled_child{0};

// A terminal sends it to the program, too; whoever uses kill(1) does not.
void hand_on(int number, siginfo_t* info, void*) {
  const int before = errno;
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

base::Result<Child> Child::start(const std::vector<std::string>& words, const Variables& variables, bool quiet) {
  std::vector<std::string> arguments = words, environment = environment_with(variables);
  std::fflush(stdout);
  pid_t pid = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (quiet) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const double start_s = now_s();
  const int error = posix_spawnp(&pid, arguments.front().c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                 pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return Child(pid, start_s);
  return base::Status{base::Code::not_found, fmt::format("{}: cannot be run: {}", words.front(), std::strerror(error))};
}

ChildEnd Child::wait() {
  const HandedOn handed_on(pid_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const double seconds = now_s() - start_s_;
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status), seconds};
  return {WEXITSTATUS(status), 0, seconds};
}

}  // namespace weir::tool
