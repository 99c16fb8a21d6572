// SPDX-License-Identifier: Apache-2.0

// Labels: ranges of GUIDs that programs compute, and making an object under one of them.
//
// A range is a run of indices of one table, never used for anything else. Any thread. What waits for labels is in
// graph/awaited.hpp and graph/label_wait.hpp.
//
// LABEL-1  A thread that waits enters itself, heavy_barrier(), and looks at the object once more; one that makes an
//          object of a label, or gives it up, does so, light_barrier(), and reads how many wait. One of the two sees
//          the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "ocr/objects/object_local.hpp"
#include "platform/barrier.hpp"

namespace weir::ocr {

namespace detail {
extern constinit std::atomic<std::uint64_t> label_waits;  // LABEL-1
// The last range that a thread has looked up, and the epoch of that. EPOCH-1: the epoch changes, with release, when a
// range is given up, so that what a thread remembers is known to be stale.
struct SeenRange {
  std::uint64_t first = 1, last = 0, epoch = 0;
};
extern thread_local constinit SeenRange seen_range;
extern constinit std::atomic<std::uint64_t> range_epoch;
// Whether a range has the label, which is then seen_range.
[[gnu::noinline]] bool find_range(Guid label) noexcept;
}  // namespace detail

// Labels from `first` on are reserved, or are no more.
void enter_range(Guid first, std::uint64_t count);
void leave_range(Guid first) noexcept;
// Whether the GUID lies in a range that was not destroyed.
inline bool is_reserved(Guid label) noexcept {
  const detail::SeenRange& seen = detail::seen_range;
  return (label.bits >= seen.first && label.bits <= seen.last &&
          seen.epoch == detail::range_epoch.load(std::memory_order_acquire)) ||  // EPOCH-1
         detail::find_range(label);
}
// A label of an event or a data block, in a range that was not destroyed: it has an object, or may get one.
bool may_be_made(Guid label) noexcept;
// The same, and it has no object now. A moment later it may have one: who finds that it has none, and that it has none
// to wait for, has looked at two times, between which it was made.
bool is_unmade(Guid label) noexcept;

// More that wait for labels, or fewer; before heavy_barrier(), LABEL-1.
inline void count_label_waits(std::int64_t change) noexcept {
  detail::label_waits.fetch_add(static_cast<std::uint64_t>(change), std::memory_order_seq_cst);
}
// Whether any wait for labels, of a thread that makes or gives up an object of one.
inline bool are_labels_awaited() noexcept {
  platform::light_barrier();  // LABEL-1
  return detail::label_waits.load(std::memory_order_relaxed) != 0;
}

// The object of the label has been made; its lock was given up.
inline void label_made(ObjectLocal& local, Guid label) {
  if (are_labels_awaited()) [[unlikely]]
    local.on_label_made(label);
}
// It has been given up: another may be made.
inline void label_left(ObjectLocal& local, Guid label) noexcept {
  if (are_labels_awaited()) [[unlikely]]
    local.on_label_left(label);
}

// Whether the object of a label, destroyed, is still in use, or about to be. Under its lock.
template <class T>
bool is_used_still(const T&) noexcept {
  return false;
}
inline bool is_used_still(const Block& block) noexcept { return block.memory != 0 || block.strong != 0; }

// Whether nothing but a checkpoint has the object of a label, destroyed: it is given up in a moment, and no EDT has to
// do anything for that (blocks/keeping.hpp).
template <class T>
bool is_only_kept(T&) noexcept {
  return false;
}
bool is_only_kept(Block& block) noexcept;

// The object of a label, alive and locked. False when there is one already, if only for those who hold it: such a one
// is alive at no time, so who comes to wait for the next one finds none.
template <class T>
bool try_create(T& object, Guid label) noexcept {
  if (!object.word.try_lock_dead(label)) return false;
  if (is_used_still(object)) [[unlikely]] {
    object.word.unlock();
    return false;
  }
  object.word.revive();
  return true;
}

// Claims the label by try_claim() as soon as more than a checkpoint has the object, or nothing. OCR_EAGAIN: it cannot
// be waited for on this thread, which others wait for.
template <class T, class F>
[[gnu::noinline]] u8 wait_while_kept(const ObjectLocal& local, T& object, F&& try_claim, bool& is_claimed) {
  while (!is_claimed && is_only_kept(object)) {
    if (local.performs) return OCR_EAGAIN;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    is_claimed = try_claim();
  }
  return 0;
}

// Claims the label by try_claim(); waits until that is possible when the properties say so. 0 or an error code.
template <class F>
[[gnu::noinline]] u8 wait_for_label(ObjectLocal& local, Guid label, std::uint16_t properties, F&& try_claim) {
  while (!try_claim()) {
    if ((properties & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return OCR_EGUIDEXISTS;
    const std::unique_ptr<LabelWatch> watch = local.watch_label(label);
    if (try_claim()) return 0;
    if (!watch->wait()) return OCR_ECANCELED;
  }
  return 0;
}

// Of what is to be tried once, as a step of waiting for the label when the properties say so.
inline std::uint16_t for_one_try(std::uint16_t properties) noexcept {
  if ((properties & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return properties;
  return static_cast<std::uint16_t>((properties & ~(GUID_PROP_BLOCK & ~GUID_PROP_IS_LABELED)) | GUID_PROP_CHECK);
}

// An object for creation: a new one, or that of the label `guid` when the properties say so. 0 or an error code. It is
// alive, and locked until object_made().
template <class T>
[[gnu::always_inline]] inline u8 make_object(ObjectLocal& local, ObjectTable<T>& table,
                                             typename ObjectTable<T>::FreeList& list, Kind kind,
                                             std::uint16_t properties, Guid& guid, T*& object) {
  if ((properties & GUID_PROP_IS_LABELED) == 0) [[likely]] {
    object = &table.allocate(list);
    guid = object->word.revive_locked(kind);
    return 0;
  }
  const bool may_have = local.restores || (guid.is_label() && is_reserved(guid));
  if (guid.kind() != kind || !may_have) return OCR_EINVAL;
  T& labelled = table.at(guid.index());
  object = &labelled;
  const auto try_claim = [&labelled, label = guid] { return try_create(labelled, label); };
  bool is_claimed = try_claim();
  if (!is_claimed) [[unlikely]] {
    if (const u8 code = wait_while_kept(local, labelled, try_claim, is_claimed)) return code;
  }
  return is_claimed ? u8{0} : wait_for_label(local, guid, properties, try_claim);
}
// `guid`: the object's.
template <class T>
[[gnu::always_inline]] inline void object_made(ObjectLocal& local, T& object, Guid guid) {
  object.word.unlock_made(guid);
  if (guid.is_label()) [[unlikely]]
    label_made(local, guid);
}

// The block of a label gets what has waited for it before others find it: whatever waits later may wait for the next
// one of the label.
[[gnu::noinline]] void labelled_block_made(ObjectLocal& local, Block& block, Guid label);
[[gnu::always_inline]] inline void object_made(ObjectLocal& local, Block& block, Guid guid) {
  if (guid.is_label()) [[unlikely]]
    return labelled_block_made(local, block, guid);
  block.word.unlock_made(guid);
}

inline constexpr Kind kind_of(const Event&) noexcept { return Kind::event; }
inline constexpr Kind kind_of(const Block&) noexcept { return Kind::block; }
inline constexpr Kind kind_of(const Template&) noexcept { return Kind::edt_template; }

// A locked object is given up, dead or alive.
template <class T>
[[gnu::always_inline]] inline void retire(ObjectLocal& local, ObjectTable<T>& table,
                                          typename ObjectTable<T>::FreeList& list, T& object) noexcept {
  const Guid guid = object.word.kill_and_unlock(kind_of(object));
  if (guid.is_label()) [[unlikely]]
    label_left(local, guid);
  else
    table.free(list, object);
}

}  // namespace weir::ocr
