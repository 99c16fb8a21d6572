// SPDX-License-Identifier: Apache-2.0

// The program's fsync(), in place of the C library's: with WEIR_FAILING_SYNC it fails, as that of a server does which
// finds the quota used up when it is to keep what it has taken.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "multi/cluster/bodies.hpp"

extern "C" int fsync(int fd) {
  if (weir::cluster::multi::setting("WEIR_FAILING_SYNC", 0) == 0) return static_cast<int>(syscall(SYS_fsync, fd));
  errno = EDQUOT;
  return -1;
}
