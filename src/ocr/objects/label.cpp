// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/label.hpp"

#include <map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<std::uint64_t> label_waits{0};
constinit std::atomic<std::uint64_t> range_epoch{1};
thread_local constinit SeenRange seen_range;
}  // namespace detail

namespace {

// Ranges that live, by kind and first index.
struct Ranges {
  base::SharedMutex mutex;
  std::map<std::uint64_t, std::uint64_t> last_of WEIR_GUARDED_BY(mutex);  // first label -> last
};
Ranges& ranges() noexcept {
  static base::Forever<Ranges> all;
  return all.value;
}

}  // namespace

bool detail::find_range(Guid label) noexcept {
  Ranges& all = ranges();
  const base::SharedLock lock(all.mutex);
  auto found = all.last_of.upper_bound(label.bits);
  if (found == all.last_of.begin() || label.bits > (--found)->second) return false;
  seen_range = {found->first, found->second, range_epoch.load(std::memory_order_relaxed)};
  return true;
}

bool may_be_made(Guid label) noexcept {
  return label.is_label() && (label.kind() == Kind::event || label.kind() == Kind::block) && is_reserved(label);
}

bool is_unmade(Guid label) noexcept {
  return label.is_label() && !event_exists(label) && !block_exists(label) && may_be_made(label);
}

bool is_only_kept(Block& block) noexcept {
  block.word.lock_held();
  const bool it_is = !block.word.alive() && block.memory != 0 && block.keeps_contents && block.strong == 1 &&
                     block.weak == 0 && block.named == 0 && block.first_waiting == nullptr;
  block.word.unlock();
  return it_is;
}

void labelled_block_made(ObjectLocal& local, Block& block, Guid label) {
  const bool is_awaited = are_labels_awaited();
  if (is_awaited) local.on_label_taken(label);
  block.word.unlock_made(label);
  if (is_awaited) local.on_label_made(label);
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
  detail::range_epoch.fetch_add(1, std::memory_order_release);  // EPOCH-1
}

}  // namespace weir::ocr
