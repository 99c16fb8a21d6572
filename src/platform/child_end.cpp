// SPDX-License-Identifier: Apache-2.0

#include "platform/child_end.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <ctime>

#include "platform/process.hpp"

namespace weir::platform {

namespace {

// Where a sandbox has no waitid(): what the process is doing, now and then.
bool look_without_it(pid_t child, int options) noexcept {
  constexpr timespec kNap{0, 2'000'000};
  while (!is_exiting(child)) {
    if ((options & WNOHANG) != 0) return false;
    ::nanosleep(&kNap, nullptr);
  }
  return true;
}

bool look(pid_t child, int options) noexcept {
  siginfo_t end{};  // its pid stays 0 when the child has not ended
  int failed = 0;
  do failed = ::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT | options);
  while (failed != 0 && errno == EINTR);
  if (failed != 0 && errno != ECHILD) return look_without_it(child, options);
  return failed != 0 || end.si_pid != 0;
}

}  // namespace

void wait_for_end(pid_t child) noexcept { look(child, 0); }

bool has_ended(pid_t child) noexcept { return look(child, WNOHANG); }

}  // namespace weir::platform
