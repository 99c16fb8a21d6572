// SPDX-License-Identifier: Apache-2.0

#include "platform/start_thread.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "platform/signals_blocked.hpp"

namespace weir::platform {

namespace {

// EAGAIN is the limit of processes, or no memory for the stack: pthread_create() tells neither from the other.
std::string why_not(const char* name, int error) {
  std::string text = fmt::format("cannot start the thread {:?}", name);
  if (error == EAGAIN) {
    return text +
           "; let this user have more (ulimit -u), or the control group (pids.max), or the process more memory for its "
           "stack (ulimit -v, ulimit -d)";
  }
  if (error == EPERM || error == ENOSYS)
    return text + "; the system refuses it, as the seccomp profile of a container may do: allow clone3() there";
  return text;
}

}  // namespace

std::thread start_thread(const char* name, std::function<void()> body) {
  const SignalsBlocked signals_blocked;
  try {
    return std::thread([name, run = std::move(body)] {
      prctl(PR_SET_NAME, name);
      run();
    });
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), why_not(name, error.code().value()));
  }
}

base::Result<std::thread> try_start_thread(const char* name, std::function<void()> body) {
  try {
    return start_thread(name, std::move(body));
  } catch (const std::system_error& error) {
    return base::Status{base::Code::no_space, error.what()};
  }
}

}  // namespace weir::platform
