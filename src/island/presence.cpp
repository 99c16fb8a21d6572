// SPDX-License-Identifier: Apache-2.0

#include "island/presence.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/mutex.hpp"
#include "platform/byte_lock.hpp"
#include "platform/descriptor.hpp"

namespace weir::island {

namespace {

bool is_same(int one, int other) noexcept {
  struct stat a {};
  struct stat b {};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// The file of a descriptor under another one, which shares nothing with the first, nor with what it is mapped by.
int open_once_more(int descriptor, const std::string& name) {
  const int again = ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDWR | O_CLOEXEC);
  if (again >= 0 || name.empty()) return platform::above_standard(again);
  platform::Descriptor by_name(::open(name.c_str(), O_RDWR | O_CLOEXEC));
  return by_name.is_open() && is_same(by_name.number(), descriptor) ? by_name.release() : -1;
}

}  // namespace

// A forked child has what its parent has open, and with it the locks, for as long as it lives: so it closes that.
// Constant-initialised and trivially destroyed: masters may live when static objects end.
struct Presence::AtFork {
  base::Mutex mutex;
  Presence* first WEIR_GUARDED_BY(mutex) = nullptr;

  static AtFork the;
  static const int registered;

  static void before() WEIR_NOT_ANALYSED { the.mutex.lock(); }
  static void in_parent() WEIR_NOT_ANALYSED { the.mutex.unlock(); }
  static void in_child() WEIR_NOT_ANALYSED {
    for (Presence* each = the.first; each != nullptr; each = each->next_) ::close(std::exchange(each->descriptor_, -1));
    the.mutex.unlock();
  }
};
constinit Presence::AtFork Presence::AtFork::the;
const int Presence::AtFork::registered = pthread_atfork(&before, &in_parent, &in_child);

Presence::Presence(int descriptor, const std::string& name) {
  static_cast<void>(AtFork::registered);
  const base::Lock lock(AtFork::the.mutex);
  descriptor_ = open_once_more(descriptor, name);
  next_ = AtFork::the.first;
  if (next_ != nullptr) next_->before_ = this;
  AtFork::the.first = this;
}

Presence::~Presence() {
  const base::Lock lock(AtFork::the.mutex);
  if (next_ != nullptr) next_->before_ = before_;
  (before_ != nullptr ? before_->next_ : AtFork::the.first) = next_;
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Presence::take(std::uint32_t place) const noexcept {
  struct flock lock = platform::byte_lock(static_cast<off_t>(place));
  return ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0;
}

bool Presence::is_held(std::uint32_t first, std::uint32_t places) const noexcept {
  struct flock lock = platform::byte_lock(static_cast<off_t>(first));
  lock.l_len = static_cast<off_t>(places);
  return ::fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool Presence::is_held(std::uint32_t place) const noexcept { return is_held(place, 1); }
bool Presence::has_workers() const noexcept { return is_held(kMaster + 1, kHeadPosted - 1); }

}  // namespace weir::island
