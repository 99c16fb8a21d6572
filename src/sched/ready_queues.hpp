// SPDX-License-Identifier: Apache-2.0

// ReadyQueues: the ready tasks of one worker, in the places that policy/sources.hpp lists, and what thieves judge them
// by.
//
// Part of the worker. Its thread adds to all of them but the mailbox; it takes from each, and others take from those
// that are open to them. A task that was added is in view of the others before a sleeper is looked for (PARKLOT-1,
// docs/protocols/parking.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/layout.hpp"
#include "sched/domain_queues.hpp"
#include "sched/inbox.hpp"
#include "sched/overflow.hpp"
#include "sched/parking_lot.hpp"
#include "sched/policy/sources.hpp"
#include "sched/policy/steal.hpp"
#include "sched/private_batch.hpp"
#include "sched/steal_deque.hpp"
#include "sched/task.hpp"

namespace weir::sched {

class Team;

class alignas(base::kDestructiveSize) ReadyQueues {
 public:
  using Item = StealDeque::Item;
  using Source = policy::Source;

  ReadyQueues(Team& team, int worker, int domain);

  // ---- The worker's thread: adding ----
  void push(Item item) noexcept {
    if (!try_push(item)) [[unlikely]]
      return push_over(item);
    wake_for_work();
  }
  // The two steps of push(), for who has to be told of what is out of the ordinary. False: there is no room, push()
  // makes some; nothing was done. Else wake_for_work() is to follow.
  [[nodiscard]] bool try_push(Item item) noexcept {
    if (!deque_.push(item)) [[unlikely]]
      return false;
    deque_.prefetch_slot();
    return true;
  }
  // As push() of all of them, the last first.
  void push_reversed(const Item* items, std::uint32_t count) noexcept;
  // A task without wishes that is to be run next; one that was to be is pushed.
  void make_next(Task* task) noexcept {
    if (next_ != nullptr) push(reinterpret_cast<Item>(next_));
    next_ = task;
  }
  // The half of a fork_join(). False: there is no room.
  [[nodiscard]] bool offer(Item half) noexcept {
    if (!deque_.push(half)) [[unlikely]]
      return false;
    return !hint_.may_wake() || wake_for_half();  // a tail call: nothing to be kept across it
  }
  // Moves what only this worker sees, or takes first, to where others take it at once.
  void give_away() noexcept {
    if (next_ != nullptr) give_away_next();
    if (!batch_.empty()) give_away_batch();
  }
  void give_away_next() noexcept { push(reinterpret_cast<Item>(std::exchange(next_, nullptr))); }
  [[gnu::noinline]] void give_away_batch() noexcept;

  // ---- The worker's thread: taking ----
  // From a source of its own or its domain's inboxes; the batch and the overflow are the thief's to unpack.
  template <Source kSource>
  Item take() noexcept {
    if constexpr (kSource == Source::next) {
      if (next_ == nullptr) return 0;
      return reinterpret_cast<Item>(std::exchange(next_, nullptr));
    } else if constexpr (kSource == Source::mailbox) {
      return pop_from(mailbox_);
    } else if constexpr (kSource == Source::deque) {
      return deque_.pop();
    } else {
      static_assert(policy::is_inbox(kSource));
      return pop_from(domain_->inbox(kSource));
    }
  }
  bool has_next() const noexcept { return next_ != nullptr; }
  PrivateBatch& batch() noexcept { return batch_; }
  StealDeque& deque() noexcept { return deque_; }
  Overflow& overflowed() noexcept { return overflowed_; }

  // ---- Any thread ----
  // Others see it, and may take it. The deque is looked at before the batch that is filled from it (BATCH-2).
  bool has_visible_task() const noexcept {
    return policy::first_of<policy::is_open_to_others, true>([this](auto source) { return has<source()>(); });
  }
  bool has_mail() const noexcept { return !mailbox_.empty(); }
  // A task that is to be run here.
  void deliver(Task* task) noexcept { mailbox_.push(task); }
  Item take_mail() noexcept { return reinterpret_cast<Item>(mailbox_.try_pop()); }
  policy::Victim seen() const noexcept { return {deque_.size(), grain_ns()}; }
  policy::Stock stock() const noexcept { return {deque_.size(), batch_.size()}; }
  // What a task took the worker, when it was last measured; policy::kUnknownGrain: it does not know.
  std::uint64_t grain_ns() const noexcept { return grain_ns_.load(std::memory_order_relaxed); }
  // Tasks the worker has spawned, less 15 at most that it has not published yet.
  std::uint64_t spawned() const noexcept { return spawned_.load(std::memory_order_relaxed); }

  // ---- The worker's thread ----
  void set_grain(std::uint64_t ns) noexcept { grain_ns_.store(ns, std::memory_order_relaxed); }
  // What it runs from now on need not be like what was measured.
  void forget_grain() noexcept { set_grain(policy::kUnknownGrain); }
  void publish_spawned(std::uint64_t count) noexcept { spawned_.store(count, std::memory_order_relaxed); }
  ParkingLot& lot() const noexcept { return *lot_; }
  DomainQueues& domain() const noexcept { return *domain_; }
  // A task is in view of others: wakes one that sleeps if none searches and the task is worth it.
  void wake_for_work() noexcept {
    if (may_wake()) [[unlikely]]
      wake_someone();
  }
  // The two steps of it.
  bool may_wake() const noexcept { return hint_.may_wake(); }
  [[gnu::noinline]] void wake_someone() noexcept;
  void wake_one() noexcept;

 private:
  template <Source kSource>
  bool has() const noexcept {
    if constexpr (kSource == Source::mailbox)
      return !mailbox_.empty();
    else if constexpr (kSource == Source::batch)
      return batch_.size() != 0;
    else if constexpr (kSource == Source::deque)
      return deque_.size() != 0;
    else if constexpr (kSource == Source::overflow)
      return !overflowed_.empty();
    else
      static_assert(kSource == Source::overflow, "a place that others take from, and that has no look");
  }
  static Item pop_from(Inbox& inbox) noexcept {
    if (inbox.empty()) [[likely]]
      return 0;
    return pop_slow(inbox);
  }
  [[gnu::noinline]] static Item pop_slow(Inbox& inbox) noexcept { return reinterpret_cast<Item>(inbox.try_pop()); }
  [[gnu::noinline]] void push_over(Item item) noexcept;
  void overflow(Item item) noexcept;
  [[gnu::noinline]] bool wake_for_half() noexcept {
    wake_someone();
    return true;
  }

  // What thieves read; the owner writes it on every push and pop.
  StealDeque deque_;
  PrivateBatch batch_;
  // Owner writes, thieves read.
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> spawned_{0};  // relaxed, both: hints
  std::atomic<std::uint64_t> grain_ns_{policy::kUnknownGrain};
  // Owner only.
  alignas(base::kDestructiveSize) Task* next_ = nullptr;
  // Read-only after start.
  WakeHint hint_;
  ParkingLot* lot_;
  DomainQueues* domain_;
  Team* team_;
  int worker_;
  int domain_index_;
  // Any thread adds.
  Inbox mailbox_;
  Overflow overflowed_;
};

}  // namespace weir::sched
