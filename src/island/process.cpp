// SPDX-License-Identifier: Apache-2.0

#include "island/process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "platform/affinity.hpp"

namespace weir::island {

namespace {

pid_t wait_for(pid_t pid, int& status, int flags) noexcept {
  pid_t found;
  do found = ::waitpid(pid, &status, flags);
  while (found < 0 && errno == EINTR);
  return found;
}

[[noreturn]] void run_child(int index, pid_t parent, std::optional<int> os_cpu, const std::function<void()>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it ended before the line above
  ::prctl(PR_SET_NAME, fmt::format("weir-island-{}", index).c_str());
  ::signal(SIGINT, SIG_IGN);  // of the terminal, to all of them: what it means is the master's to say
  ::unsetenv("WEIR_TRACE");   // the file is the master's
  if (os_cpu) static_cast<void>(platform::bind_this_thread(std::array{*os_cpu}));  // a wish
  body();
  std::fflush(nullptr);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

base::Result<Process> Process::fork(int index, std::optional<int> os_cpu, const std::function<void()>& body) {
  std::fflush(nullptr);  // what is buffered is the parent's to write
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) run_child(index, parent, os_cpu, body);
  if (pid < 0) {
    return base::Status{
        base::Code::no_space,
        fmt::format("worker process {} cannot be made: {}; ask for fewer workers, or {}", index, std::strerror(errno),
                    errno == ENOMEM ? "allow the system more memory (/proc/sys/vm/overcommit_memory)"
                                    : "raise the limit of processes (ulimit -u)")};
  }
  return Process(pid);
}

std::uint64_t numbering_of_processes() noexcept {
  struct stat found {};
  return ::stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

Process Process::attached(pid_t pid, std::uint64_t numbering, const Presence& presence, std::uint32_t place) noexcept {
  Process process(pid);
  process.is_numbered_here_ = numbering != 0 && numbering == numbering_of_processes();
  process.presence_ = &presence;
  process.place_ = place;
  return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      ended_(other.ended_),
      is_known_(other.is_known_),
      status_(other.status_),
      presence_(other.presence_),
      place_(other.place_),
      is_numbered_here_(other.is_numbered_here_) {}

Process::~Process() {
  if (pid_ == 0 || ended_) return;
  if (is_attached()) {
    if (is_numbered_here_ && presence_->is_held(place_)) ::kill(pid_, SIGKILL);
    return;
  }
  take_end(WNOHANG);  // the number of one that is gone may be another process's
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  join();
}

// Who has no such child any more is not told how it ended.
void Process::take_end(int flags) noexcept {
  const pid_t found = wait_for(pid_, status_, flags);
  is_known_ = found == pid_;
  ended_ = is_known_ || found < 0;
}

std::string Process::how_it_ended() {
  if (is_attached()) {
    ended_ = ended_ || !presence_->is_held(place_);
    return ended_ ? "is gone (it had attached: what has started it can tell how it ended)" : "";
  }
  if (!ended_) take_end(WNOHANG);
  if (!ended_) return "";
  if (!is_known_) return "has ended, how is not known (this process ignores SIGCHLD, or waits for all of its children)";
  if (WIFSIGNALED(status_)) {
    return fmt::format("ended by signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_)));
  }
  return fmt::format("ended with exit status {}", WEXITSTATUS(status_));
}

void Process::join() noexcept {
  if (is_attached()) {
    constexpr timespec kNap{0, 200'000};
    while (presence_->is_held(place_)) ::nanosleep(&kNap, nullptr);
  } else if (!ended_) {
    take_end(0);
  }
  ended_ = true;
}

}  // namespace weir::island
