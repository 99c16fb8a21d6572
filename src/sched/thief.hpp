// SPDX-License-Identifier: Apache-2.0

// Thief: finds a worker's next task: at hand, in its domain, with other workers. Does not wait (search.hpp does).
//
// Part of the worker; its thread only. The places and their order are policy/sources.hpp's.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sched/frames.hpp"
#include "sched/peer.hpp"
#include "sched/policy/order.hpp"
#include "sched/policy/steal.hpp"
#include "sched/steal_backoff.hpp"

namespace weir::sched {

class Worker;

class Thief {
 public:
  using Item = StealDeque::Item;
  using Source = policy::Source;

  // `worker`: the one whose part it is, for CurrentWorker.
  Thief(Worker& worker, Peer& self, Team& team, const Frames& frames) noexcept;

  // What is to be run next of what needs no search, or 0.
  Item next() noexcept;
  // The same, but what lies in the deque comes in the order in which it was put there as long as the deque ends at
  // `end`; what was put there since comes first. Outside of tasks.
  Item next_in_order(std::uint32_t end) noexcept;
  // The same of everything else; `searched_ns`: for how long it has had nothing to run.
  Item look_around(std::uint64_t searched_ns) noexcept;
  // The last look around met a victim whose tasks are too short to be taken.
  bool saw_tiny() const noexcept { return saw_tiny_; }
  // Asks for what ends elsewhere, if there is any, whenever that was done last, and takes what it has made ready here.
  Item ask_now() noexcept {
    if (!team_.polls().any()) [[likely]]
      return 0;
    static_cast<void>(team_.polls().ask());
    has_asked();
    return next();
  }
  // The worker has asked just now: it takes what comes next without.
  void has_asked() noexcept {
    if (ask_in_ == 0) ask_in_ = 1;
  }
  // Tasks of this worker have begun what has to be asked for: it asks between two tasks until nothing is pending.
  void ask_between_tasks() noexcept {
    special_in_ = 1;
    ask_in_ = 0;
  }
  // The thread has become another runtime's worker, in a task of this one's or outside: what comes next runs as this
  // one again, and what comes after that as long as a task may be waiting beneath.
  void has_left() noexcept {
    has_left_ = true;
    special_in_ = 1;
  }
  // Whether there is something that look_around() takes, at once or after a while.
  bool sees_tasks() const noexcept;

  // ---- What it stole ----
  StealBackoff& backoff() noexcept { return backoff_; }
  // Measures what stolen tasks took, and decides whether to go on.
  void judge_stolen() noexcept;
  // The last stolen task that ended here was of this size class: how many lines are asked for ahead.
  void note_size_class(std::uint8_t size_class) noexcept { size_class_ = size_class; }

 private:
  // Its part of the list, one source each.
  template <Source kSource>
  Item take(ReadyQueues& own) noexcept;
  // next() from a source of the list on: quickly, and once that source may have something.
  template <Source kFrom, policy::Oldness kFirst>
  Item take_next(ReadyQueues& own, std::uint32_t end) noexcept;
  template <Source kFrom>
  [[gnu::noinline]] Item take_from() noexcept;
  template <Source kSource>
  bool may_have(ReadyQueues& own) noexcept;
  template <Source kSource>
  Item take_elsewhere(std::uint64_t searched_ns) noexcept;
  template <Source kSource>
  Item take_shared(DomainQueues& domain, bool far) noexcept;
  template <Source kSource>
  Item steal_source(Peer& victim, const policy::Victim& seen, bool far) noexcept;
  Item take_far(std::uint64_t searched_ns) noexcept;

  [[gnu::noinline]] Item take_specially(bool keeps_order) noexcept;
  Item take_oldest() noexcept;
  std::uint32_t ask_for_pending() noexcept;
  Item next_stolen() noexcept;
  void prefetch_stolen(Item item) const noexcept;
  Item unpack(const StealDeque::Batch& batch, std::uint32_t count) noexcept;
  [[gnu::noinline]] Item take_overflow() noexcept;
  Item unpack_all(std::span<Overflow::Batch* const> batches) noexcept;

  Item steal_from(Peer& victim, bool far) noexcept;
  Item steal_half(Peer& victim) noexcept;
  Item steal_overflow(Peer& victim) noexcept;
  Item steal_batch(Peer& victim, bool far) noexcept;
  Item steal_mail(Peer& victim, bool far) noexcept;
  [[gnu::noinline]] void steal_more() noexcept;
  void begin_stolen(Peer& victim, std::uint32_t tasks, bool far) noexcept;
  void count_steal(const Peer& victim, std::uint32_t tasks, bool far) noexcept;
  bool has_lain_long_enough(const Peer& victim, const policy::Victim& seen, std::uint64_t version) noexcept;
  int distance_to(int domain) const noexcept;
  bool leaves_to_others(std::uint64_t searched_ns) const noexcept;

  // Read-only after start.
  Worker& worker_;
  Peer& self_;
  ReadyQueues& own_;
  Team& team_;
  const Frames& frames_;

  std::uint32_t stolen_left_ =
      0;  // of what it stole in batches, this many at most are still in the deque, or the batch
  std::uint32_t turn_in_ = policy::kInboxTurn;  // tasks at hand, until it is the inbox's turn
  std::uint32_t special_in_ = 1;                // tasks, until one is not taken as most are
  std::uint32_t ask_in_ = 0;                    // such tasks, before it looks whether there is something to ask for
  std::uint8_t size_class_ = 1;
  bool saw_tiny_ = false;
  bool has_left_ = false;  // the thread may be another runtime's worker when it comes for the next task
  std::uint32_t random_;
  Peer* victim_ = nullptr;         // whose tasks those are; null: its own, or of another domain
  std::uint64_t searched_ns_ = 0;  // when it last looked around
  std::uint64_t ask_at_ns_ = 0;    // not before
  std::uint64_t looked_ns_ = 0;    // when it last looked whether that has come, and
  std::uint32_t look_after_ = 1;   // after how many tasks it does so again
  StealBackoff backoff_;
  std::array<policy::Look, 16> looks_{};  // at victims with one task, by victim index
};

}  // namespace weir::sched
