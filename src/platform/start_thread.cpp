// SPDX-License-Identifier: Apache-2.0

#include "platform/start_thread.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <system_error>
#include <utility>

#include "platform/signals_blocked.hpp"

namespace weir::platform {

std::thread start_thread(const char* name, std::function<void()> body) {
  const SignalsBlocked signals_blocked;
  try {
    return std::thread([name, run = std::move(body)] {
      prctl(PR_SET_NAME, name);
      run();
    });
  } catch (const std::system_error& error) {
    throw std::system_error(
        error.code(), fmt::format("cannot start the thread {:?}; let this user have more (ulimit -u), or the control "
                                  "group (pids.max)",
                                  name));
  }
}

}  // namespace weir::platform
