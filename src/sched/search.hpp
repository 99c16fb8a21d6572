// SPDX-License-Identifier: Apache-2.0

// Search: what a worker does that has nothing to run: it looks around, pauses, and sleeps until it is woken.
//
// Part of the worker; its thread only. When it does which is policy/idling.hpp's; who is woken is the parking lot's.
#pragma once

#include <cstdint>

#include "sched/condition.hpp"
#include "sched/peer.hpp"
#include "sched/policy/idling.hpp"
#include "sched/thief.hpp"

namespace weir::sched {

class Search {
 public:
  using Item = StealDeque::Item;

  Search(Peer& self, Thief& thief, Team& team) noexcept;

  // Until there is something to run, or the condition is true: then 0.
  Item look(Condition& condition) noexcept;
  // Keeps from running anything for as long as the thief's back-off says; its tasks are given away before.
  void keep_off(Condition& condition) noexcept;
  // How long it has searched, slept and kept off so far.
  std::uint64_t idle_ns() const noexcept { return idle_ns_; }

  // ---- For a thread that waits, and takes no tasks (blocking.cpp) ----
  void start() noexcept { lot_.start_searching(); }
  void stop() noexcept { static_cast<void>(found(0)); }
  // True after a sleep; false when there was a reason not to. `leaves_work`: see policy::Sleepy.
  bool sleep_unless(Condition& condition, bool leaves_work) noexcept;
  // Asks for what ends elsewhere, if there is any.
  void ask() noexcept {
    if (team_.polls().any()) [[unlikely]]
      ask_polls();
  }
  // The same, and takes what that has made ready here, or had before.
  Item ask_and_take() noexcept {
    if (!team_.polls().any()) [[likely]]
      return 0;
    if (const Item item = thief_.next()) return item;
    ask_polls();
    return thief_.next();
  }
  // Whether there are tasks to take, or a thread wants to go on in the place of this one.
  bool sees_work() const noexcept;

 private:
  struct Looking;

  Item look_until(Condition& condition, Looking& looking) noexcept;
  std::uint64_t park_after_ns() const noexcept;
  void rest_from(Looking& looking, Condition& condition) noexcept;
  void pause(Looking& looking) noexcept;
  Item found(Item item) noexcept;
  bool sleep_listed(Condition& condition, bool leaves_work) noexcept;
  bool answer_call() noexcept;
  void leave_a_lookout(bool runs) noexcept;
  bool must_stay_awake(bool leaves_work) const noexcept;
  bool others_look_later() const noexcept;
  void park_timed(Condition& condition) noexcept;
  [[gnu::noinline]] bool ask_polls() noexcept;
  bool ask_often() noexcept;
  bool keeps_asking() noexcept;
  bool nobody_asks() const noexcept;

  // More workers than processors (surplus.cpp).
  [[gnu::noinline]] bool stand_back(Condition& condition) noexcept;
  bool watch(Condition& condition) noexcept;
  bool leaves_its_processor(const Peer& worker) const noexcept;
  int count_blocked() const noexcept;
  std::uint32_t count_thefts() const noexcept;
  template <class F>
  void for_each_of_lot(F&& f) const;

  // Read-only after start.
  Peer& self_;
  Presence& presence_;
  Thief& thief_;
  Team& team_;
  DomainQueues& domain_;
  ParkingLot& lot_;

  std::uint64_t idle_ns_ = 0;
  std::uint32_t timed_parks_ = 0;  // in a row
  std::uint64_t timed_park_ns_ = policy::kFirstTimedParkNs;
  std::uint64_t watch_ns_ = policy::kFirstWatchNs;
  std::uint64_t asking_nap_ns_ = policy::kFirstAskingNapNs;
  bool asks_ = false;         // the lot knows that it keeps asking
  bool looks_ = false;        // what is behind the polls counts it among those that look
  bool is_called_ = false;    // it has been woken to be the lookout
  bool was_lookout_ = false;  // in this search
};

}  // namespace weir::sched
