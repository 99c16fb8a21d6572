// SPDX-License-Identifier: Apache-2.0

// The stealing deque of one worker: the owner pushes and pops at the bottom, thieves take batches from the top.
//
// A ring with one removal word, {top index, tag}. After the abstract deque of Arora, Blumofe, Plaxton (1998) rather
// than Chase-Lev (2005): every removal, the owner's too, is a compare-and-swap of that word, which is what lets a thief
// take many items with one of them. Proof and costs: docs/protocols/steal.md.
//
// STEAL-1  push: the release store of bottom publishes the slot to the thief that reads bottom with acquire.
// STEAL-2  pop lowers bottom before its CAS (release), and a thief reads the word (acquire) before bottom: a thief
//          that saw the word after a pop sees the lowered bottom, and one that saw it before fails its CAS.
// STEAL-3  the thread that moves the word owns the slots it took; push reads it with acquire before reusing a slot.
//
// Items are pointers whose low bit, kAlone, marks what a thief takes alone (halves of fork_join(), the larger the
// older).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/layout.hpp"
#include "platform/prefetch.hpp"

namespace weir::sched {

class StealDeque {
 public:
  using Item = std::uintptr_t;       // 0 is no item
  static constexpr Item kAlone = 1;  // low bit: stolen one at a time
  static constexpr std::uint32_t kCapacity = 4096;
  static constexpr std::uint32_t kMaxBatch = 64;
  static constexpr std::uint32_t kAhead = 16;  // slots above bottom
  using Batch = std::array<Item, kMaxBatch>;

  StealDeque() : ring_(std::make_unique<std::atomic<Item>[]>(kCapacity)) {}

  // Owner only. False when full: the caller puts the item elsewhere. Budget: 2 loads, 2 stores.
  [[nodiscard]] bool push(Item item) noexcept {
    const std::uint32_t b = bottom_.load(std::memory_order_relaxed);                   // only we write it
    if (b - top_of(word_.load(std::memory_order_acquire)) >= kCapacity) return false;  // STEAL-3
    slot(b).store(item, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);  // STEAL-1
    return true;
  }

  // Owner only. As push() of all of them, the last first. False: there is no room for all, and nothing was done.
  [[nodiscard]] bool push_reversed(const Item* items, std::uint32_t count) noexcept {
    const std::uint32_t b = bottom_.load(std::memory_order_relaxed);                            // only we write it
    if (kCapacity - (b - top_of(word_.load(std::memory_order_acquire))) < count) return false;  // STEAL-3
    for (std::uint32_t i = 0; i < count; ++i) slot(b + i).store(items[count - 1 - i], std::memory_order_relaxed);
    bottom_.store(b + count, std::memory_order_release);  // STEAL-1
    return true;
  }

  // Owner only. Asks for the line of a slot that is to be written soon: a thief has read it, and may be far.
  // docs/tuning/sched.md#lines-asked-for-ahead
  void prefetch_slot() noexcept {
    platform::prefetch_to_write(&slot(bottom_.load(std::memory_order_relaxed) + kAhead));
  }

  // Owner only. The newest item, or 0. Budget: 3 loads, 1 store, 1 compare-and-swap; 2 loads when empty.
  [[nodiscard]] Item pop() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);  // a stale word only makes the CAS fail
    const std::uint32_t b = bottom_.load(std::memory_order_relaxed);
    if (b == top_of(word)) return 0;
    const Item item = slot(b - 1).load(std::memory_order_relaxed);
    // STEAL-1: release, for a thief that still has the word from before and sees only this bottom.
    bottom_.store(b - 1, std::memory_order_release);
    for (;;) {
      // STEAL-2: the release publishes the lowered bottom. The tag changes, so no thief's older view survives.
      if (word_.compare_exchange_weak(word, word + kTagStep, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return item;
      }
      if (top_of(word) == b) {  // thieves took everything
        bottom_.store(b, std::memory_order_relaxed);
        return 0;
      }
    }
  }

  // Owner only. Several of the newest at once, oldest first, for one compare-and-swap: up to `most`, how many. 0 when
  // there is none, when one of them is kAlone, or when thieves are at it: pop() then.
  [[nodiscard]] std::uint32_t pop_some(Item* out, std::uint32_t most) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);  // a stale word only makes the CAS fail
    const std::uint32_t b = bottom_.load(std::memory_order_relaxed);
    const std::uint32_t n = std::min(b - top_of(word), most);
    for (std::uint32_t i = 0; i < n; ++i) {
      out[i] = slot(b - n + i).load(std::memory_order_relaxed);  // relaxed: the owner has written it
      if ((out[i] & kAlone) != 0) return 0;
    }
    if (n == 0) return 0;
    bottom_.store(b - n, std::memory_order_release);  // STEAL-1, as in pop()
    if (word_.compare_exchange_strong(word, word + kTagStep, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return n;  // STEAL-2
    }
    bottom_.store(b, std::memory_order_release);  // STEAL-1: they were never gone
    return 0;
  }

  // Any thread but the owner. Takes up to half of the items, at least one, oldest first, into `out`; the number taken,
  // 0 when there is nothing or when another removal came first. An item marked kAlone is taken alone.
  [[nodiscard]] std::uint32_t steal(Batch& out) noexcept { return remove_oldest(out, true); }

  // Owner only. The same, but leaves what is stolen alone: 0 when the oldest is.
  [[nodiscard]] std::uint32_t take_oldest(Batch& out) noexcept { return remove_oldest(out, false); }

  // Owner only. The oldest item; 0 when there is none, or when it is kAlone. Budget: 2 loads, 1 compare-and-swap.
  [[nodiscard]] Item pop_oldest() noexcept { return pop_oldest_up_to(end()); }

  // Owner only. The same; 0, too, when the newer end is not `end`: something was put there since, or taken.
  [[nodiscard]] Item pop_oldest_up_to(std::uint32_t end) noexcept {
    const std::uint32_t b = bottom_.load(std::memory_order_relaxed);  // only we write it
    if (b != end) return 0;
    std::uint64_t word = word_.load(std::memory_order_relaxed);  // a stale word only makes the CAS fail
    for (;;) {
      const std::uint32_t t = top_of(word);
      if (t == b) return 0;
      const Item item = slot(t).load(std::memory_order_relaxed);  // relaxed: the owner has written it
      if ((item & kAlone) != 0) return 0;
      // STEAL-2: as a thief's, so that no thief's older view survives. An index that begins anew carries into the tag,
      // which so changes once more.
      const std::uint64_t next = word + kTagStep + 1;
      if (word_.compare_exchange_weak(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) return item;
    }
  }

  // Owner only. Its newer end: where the next item will be put.
  std::uint32_t end() const noexcept { return bottom_.load(std::memory_order_relaxed); }

  // Owner only. A hint, so relaxed: what pop() may give after `later` others.
  Item peek(std::uint32_t later) noexcept {
    return slot(bottom_.load(std::memory_order_relaxed) - 1 - later).load(std::memory_order_relaxed);
  }

  // Any thread; a moment ago's number of items. STEAL-1, STEAL-2: as a thief reads them, for who looks before it
  // sleeps.
  std::uint32_t size() const noexcept {
    const std::uint32_t t = top_of(word_.load(std::memory_order_acquire));
    return count(t, bottom_.load(std::memory_order_acquire));
  }

  // Any thread. Changes when the oldest item is removed by another thread than the owner; equal values mean that it was
  // not. Relaxed: compared from one look to the next.
  std::uint32_t oldest() const noexcept { return top_of(word_.load(std::memory_order_relaxed)); }

  // Changes whenever an item was pushed or removed; equal values mean that nothing happened in between. Relaxed:
  // compared.
  std::uint64_t version() const noexcept {
    return word_.load(std::memory_order_relaxed) ^ (std::uint64_t{bottom_.load(std::memory_order_relaxed)} << 17);
  }

 private:
  std::uint32_t remove_oldest(Batch& out, bool alone) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);       // STEAL-2
    const std::uint32_t b = bottom_.load(std::memory_order_acquire);  // STEAL-1, STEAL-2
    const std::uint32_t t = top_of(word);
    const std::uint32_t n = count(t, b);
    if (n == 0) return 0;
    std::uint32_t want = std::min((n + 1) / 2, kMaxBatch);
    for (std::uint32_t i = 0; i < want; ++i) {
      out[i] = slot(t + i).load(std::memory_order_relaxed);
      if ((out[i] & kAlone) == 0) continue;
      if (i == 0 && !alone) return 0;
      want = i == 0 ? 1 : i;
    }
    const std::uint64_t next = (word & kTagMask) + kTagStep + ((t + want) & kIndexMask);
    return word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_relaxed) ? want : 0;
  }

  static constexpr std::uint64_t kIndexMask = 0xffffffffu;
  static constexpr std::uint64_t kTagMask = ~kIndexMask;
  static constexpr std::uint64_t kTagStep = kIndexMask + 1;

  static std::uint32_t top_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
  // While the owner pops, bottom may be one below top: that is empty, not 2^32 - 1 items.
  static std::uint32_t count(std::uint32_t t, std::uint32_t b) noexcept {
    return static_cast<std::int32_t>(b - t) > 0 ? b - t : 0;
  }
  std::atomic<Item>& slot(std::uint32_t i) noexcept { return ring_[i % kCapacity]; }

  // One line for both: a pop writes both, and a thief reads both. Relaxed: bottom_ where it is the owner that reads it,
  // as only the owner writes it; word_ where a stale one makes the CAS fail.
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> word_{0};         // owner, thieves: {tag, top}
  std::atomic<std::uint32_t> bottom_{0};                                       // owner
  alignas(base::kDestructiveSize) std::unique_ptr<std::atomic<Item>[]> ring_;  // slots: owner writes, all read
};

}  // namespace weir::sched
