// SPDX-License-Identifier: Apache-2.0

// While one lives, files may be read and written within free() and _exit() without the program noticing: its errno
// stays as it is, and its thread is not cancelled there.
#pragma once

#include <pthread.h>
#include <cerrno>

namespace weir::placer {

class Unnoticed {
 public:
  Unnoticed() noexcept : errno_(errno) { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation_); }
  ~Unnoticed() {
    int disabled = 0;
    pthread_setcancelstate(cancellation_, &disabled);
    errno = errno_;
  }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;

 private:
  const int errno_;
  int cancellation_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace weir::placer
