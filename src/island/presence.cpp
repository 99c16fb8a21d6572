// SPDX-License-Identifier: Apache-2.0

#include "island/presence.hpp"

#include <fcntl.h>

namespace weir::island {

namespace {

struct flock byte_at(std::uint32_t place) noexcept {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(place);
  lock.l_len = 1;
  return lock;
}

}  // namespace

bool Presence::take(std::uint32_t place) const noexcept {
  struct flock lock = byte_at(place);
  return ::fcntl(descriptor_, F_SETLK, &lock) == 0;
}

std::optional<pid_t> Presence::holder(std::uint32_t place) const noexcept {
  struct flock lock = byte_at(place);
  if (::fcntl(descriptor_, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace weir::island
