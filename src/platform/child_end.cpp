// SPDX-License-Identifier: Apache-2.0

#include "platform/child_end.hpp"

#include <sys/wait.h>

#include <cerrno>

namespace weir::platform {

namespace {

bool look(pid_t child, int options) noexcept {
  siginfo_t end{};  // its pid stays 0 when the child has not ended
  int failed = 0;
  do failed = ::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT | options);
  while (failed != 0 && errno == EINTR);
  return failed != 0 || end.si_pid != 0;
}

}  // namespace

void wait_for_end(pid_t child) noexcept { look(child, 0); }

bool has_ended(pid_t child) noexcept { return look(child, WNOHANG); }

}  // namespace weir::platform
