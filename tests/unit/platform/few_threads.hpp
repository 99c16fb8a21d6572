// SPDX-License-Identifier: Apache-2.0

// Processes of a test whose user may start few threads, as under `ulimit -u`.
#pragma once

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

namespace weir::test {

inline constexpr int kNotLimited = 77;  // what a child ends with where the system does not hold it to the limit

// From here on this process is a user's who has no other, and may start so many threads more. False: it cannot be so
// here, for which the process has to be root's.
inline bool may_start(std::size_t more) {
  if (geteuid() == 0 && setuid(1'000'000 + static_cast<uid_t>(getpid())) != 0) return false;
  if (geteuid() < 1'000'000) return false;
  const auto now = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  const rlim_t most = static_cast<rlim_t>(now) + more;
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  if (more > 0) return true;
  try {
    std::thread([] {}).join();
    return false;
  } catch (const std::system_error&) {
    return true;
  }
}

// What a forked process ends with that runs f(); 128 and more: by a signal.
template <class F>
int ended_with(const F& f) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int end = f();
    std::fflush(nullptr);
    _exit(end);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) std::abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline bool threads_are_limited() {
  return ended_with([] { return may_start(0) ? 0 : kNotLimited; }) == 0;
}

}  // namespace weir::test
