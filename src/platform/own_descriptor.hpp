// SPDX-License-Identifier: Apache-2.0

// OwnDescriptor: a file descriptor of the library in a program that may close what it has not opened itself, as those
// do that go on as a daemon. Its number may be another file's then, which is neither read nor written nor closed. For
// files whose device and inode no other has: pipes and sockets. A value; any thread; async-signal-safe.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include "platform/descriptor.hpp"

namespace weir::platform {

class OwnDescriptor {
 public:
  OwnDescriptor() noexcept = default;
  explicit OwnDescriptor(int number) noexcept : number_(above_standard(number)) {
    struct stat is {};
    if (fstat(number_, &is) != 0) number_ = -1;
    device_ = is.st_dev;
    inode_ = is.st_ino;
  }

  // -1: there is none, or none any more.
  int number() const noexcept {
    struct stat is {};
    const bool is_ours = number_ >= 0 && fstat(number_, &is) == 0 && is.st_dev == device_ && is.st_ino == inode_;
    return is_ours ? number_ : -1;
  }
  // Nothing when it is not there any more.
  void close() noexcept {
    if (const int file = number(); file >= 0) ::close(file);
    number_ = -1;
  }

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace weir::platform
