// SPDX-License-Identifier: Apache-2.0

#include "platform/trial.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "platform/clock.hpp"
#include "platform/file_io.hpp"
#include "platform/signals_blocked.hpp"

namespace weir::platform {

namespace {

constexpr char kWhole = '\n';  // after what was said: a child that crashes while it writes has not returned

// A crash is what is looked for: it leaves no core file, and no handler of the program tells of it.
void crash_quietly() {
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  sigset_t faults;
  sigemptyset(&faults);
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT}) {
    std::signal(fault, SIG_DFL);
    sigaddset(&faults, fault);
  }
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& attempt, int to) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  crash_quietly();
  const std::string said = attempt() + kWhole;
  static_cast<void>(write_all(to, said.data(), said.size(), kStream));
  _exit(0);
}

// What comes until the other end is closed; false when that is not before `deadline_ns`.
bool read_until(std::uint64_t deadline_ns, int from, std::string& said) {
  std::array<char, 4096> buffer;
  while (true) {
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) return false;
    pollfd there{from, POLLIN, 0};
    const int ready = poll(&there, 1, static_cast<int>((deadline_ns - now) / 1'000'000 + 1));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got > 0) said.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// The signal that has ended it; 0 for none, and where the program has taken the child's end for one of its own.
int reap(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

Trial try_in_child(const std::function<std::string()>& attempt, std::uint64_t limit_ns) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {Trial::End::no_child, "", errno};
  pid_t child = 0;
  {
    const SignalsBlocked blocked;
    child = fork();
    if (child == 0) be_child(attempt, ends[1]);
  }
  const int error = errno;
  close(ends[1]);
  Trial trial;
  if (child < 0) {
    trial = {Trial::End::no_child, "", error};
  } else {
    const bool in_time = read_until(now_ns() + limit_ns, ends[0], trial.said);
    if (!in_time) kill(child, SIGKILL);
    trial.number = reap(child);
    const bool whole = trial.said.ends_with(kWhole);
    trial.end = !in_time ? Trial::End::late : whole ? Trial::End::returned : Trial::End::crashed;
    if (whole) trial.said.pop_back();
  }
  close(ends[0]);
  return trial;
}

}  // namespace weir::platform
