// SPDX-License-Identifier: Apache-2.0

#include "island/presence.hpp"

#include <fcntl.h>

#include "platform/byte_lock.hpp"

namespace weir::island {

bool Presence::take(std::uint32_t place) const noexcept {
  struct flock lock = platform::byte_lock(static_cast<off_t>(place));
  return ::fcntl(descriptor_, F_SETLK, &lock) == 0;
}

std::optional<pid_t> Presence::holder(std::uint32_t place) const noexcept {
  struct flock lock = platform::byte_lock(static_cast<off_t>(place));
  if (::fcntl(descriptor_, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace weir::island
