// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/label.hpp"

#include <map>
#include <utility>

#include "base/mutex.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<std::uint64_t> label_waits{0};
}  // namespace detail

namespace {

// Ranges that live, by kind and first index. EPOCH-1: the epoch changes, with release, when one is given up, so that
// what a thread remembers of ranges is known to be stale.
struct Ranges {
  base::SharedMutex mutex;
  std::map<std::uint64_t, std::uint64_t> last_of WEIR_GUARDED_BY(mutex);  // first label -> last
  std::atomic<std::uint64_t> epoch{1};
};
Ranges& ranges() noexcept {
  static Ranges& all = *new Ranges;
  return all;
}

struct Remembered {
  std::uint64_t first = 1, last = 0, epoch = 0;
};
thread_local constinit Remembered remembered;

bool look_up(std::uint64_t label) noexcept {
  Ranges& all = ranges();
  const base::SharedLock lock(all.mutex);
  auto found = all.last_of.upper_bound(label);
  if (found == all.last_of.begin() || label > (--found)->second) return false;
  remembered = {found->first, found->second, all.epoch.load(std::memory_order_relaxed)};
  return true;
}

}  // namespace

bool is_reserved(Guid label) noexcept {
  if (label.bits >= remembered.first && label.bits <= remembered.last &&
      remembered.epoch == ranges().epoch.load(std::memory_order_acquire)) {  // EPOCH-1
    return true;
  }
  return look_up(label.bits);
}

bool is_unmade(Guid label) noexcept {
  if (!label.is_label() || (label.kind() != Kind::event && label.kind() != Kind::block)) return false;
  return !event_exists(label) && !block_exists(label) && is_reserved(label);
}

void enter_range(Guid first, std::uint64_t count) {
  Ranges& all = ranges();
  const base::ExclusiveLock lock(all.mutex);
  all.last_of.emplace(first.bits, first.bits + count - 1);
}

void leave_range(Guid first) noexcept {
  Ranges& all = ranges();
  const base::ExclusiveLock lock(all.mutex);
  all.last_of.erase(first.bits);
  all.epoch.fetch_add(1, std::memory_order_release);  // EPOCH-1
}

}  // namespace weir::ocr
