// SPDX-License-Identifier: Apache-2.0

// byte_lock: a lock of the kernel on one byte of a file, as fcntl(2) takes it: a process has it until it ends, however
// it ends, and others can ask whether one has it. With F_SETLK a process loses it when it closes any descriptor of the
// file; with F_OFD_SETLK it is that of the open file, whose number others are not told, and which forked children keep.
// Pure.
#pragma once

#include <fcntl.h>

namespace weir::platform {

inline struct flock byte_lock(off_t place) noexcept {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = place;
  lock.l_len = 1;
  return lock;
}

}  // namespace weir::platform
