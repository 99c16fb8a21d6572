// SPDX-License-Identifier: Apache-2.0

#include "platform/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace weir::platform {

int above_standard(int number) noexcept {
  if (number < 0 || number > STDERR_FILENO) return number;
  const int moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return number;
  ::close(number);
  return moved;
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

}  // namespace weir::platform
