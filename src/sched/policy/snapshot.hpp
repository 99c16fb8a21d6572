// SPDX-License-Identifier: Apache-2.0

// What the policies of scheduling decide from: values that a worker, a test or a simulator fills in. No pointer, no
// atomic, no clock: times are nanoseconds since anything that stays the same, durations are nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/options.hpp"
#include "weir/task.hpp"

namespace weir::sched::policy {

// ---- Where a ready task goes (placement.hpp) ----

// What the program asked for.
struct Wishes {
  Priority priority = Priority::normal;
  int domain = -1;  // -1: none
};
// Which thread makes the task available.
struct Maker {
  int domain = 0;         // of the worker; for other threads the domain that suits the task
  bool has_deque = true;  // false: it is no worker
};
// The worker that ran most of a task's predecessors, as the worker sees it that ran the last of them.
struct Home {
  bool is_here = true;        // it is the same one
  bool same_domain = true;    // both take from the same inboxes
  bool runs_tasks = true;     // it has its permit (OCR's workers may have given it up)
  bool is_replaced = false;   // it sleeps, and no further worker is to be woken: there are more workers than processors
  bool task_is_plain = true;  // no wishes and no hooks
};
// A running majority vote over workers: a candidate and by how much it leads.
struct HomeVote {
  std::uint32_t candidate = 0;
  std::uint32_t lead = 0;
};

// ---- Which of its own a worker takes (order.hpp) ----

struct Taker {
  bool serves_others = false;  // other processes wait for what its tasks write
  bool in_task = false;        // what it takes runs on top of a task that waits
  bool keeps_order = false;    // it runs what it has spawned itself, and has nothing that was made since it began to
};

// ---- A worker's core (idling.hpp) ----

// Of a worker that has something to run, from one look at it to the next.
struct OnItsCore {
  std::uint64_t passed_ns = 0;
  std::uint64_t ran_ns = 0;  // for so long of that its thread had a processor
  bool stayed_awake = false;
};

// ---- Stealing (steal.hpp, victims.hpp) ----

struct Thief {
  Policy policy = Policy::near;
  std::uint64_t searched_ns = 0;   // since it ran out of work
  std::uint64_t far_after_ns = 0;  // option far-after
};

inline constexpr std::uint64_t kUnknownGrain = ~std::uint64_t{0};

// What a thief sees of a victim that has something.
struct Victim {
  std::uint32_t items = 0;
  std::uint64_t grain_ns = kUnknownGrain;  // that its tasks took it, each, when it last measured
};

// How many tasks a victim has where others may take them.
struct Stock {
  std::uint32_t items = 0;     // in its deque
  std::uint32_t in_batch = 0;  // in its private steal batch
};

// One look at a victim, of which two are compared.
struct Look {
  int victim = -1;            // its index; -1: no look yet
  std::uint64_t version = 0;  // of its deque: equal when nothing was pushed or removed in between
  std::uint64_t spawned = 0;  // tasks it has spawned so far, ready or not
  std::uint64_t at_ns = 0;
};

// What a thief has run of other workers' tasks since it stole, and for how long it was busy.
struct StolenBatch {
  std::uint64_t tasks = 0;
  std::uint64_t ns = 0;
  std::uint32_t at_once = 0;                    // how many it took at once, the last time
  std::uint64_t home_grain_ns = kUnknownGrain;  // what such a task took the victim
};

// The stack of a thread that waits and runs others on top.
struct StackUse {
  std::size_t left = 0;   // bytes
  std::size_t total = 0;  // bytes
};

// ---- Without work (idling.hpp) ----

// A worker that has looked around and found nothing.
struct Idleness {
  bool crowded = false;              // more workers are awake than there are processors
  bool saw_tiny = false;             // some victim has tasks that are too short to be taken
  std::uint64_t looked_ns = 0;       // without a pause of the system's
  std::uint64_t look_for_ns = 0;     // before it sleeps
  std::uint32_t timed_parks = 0;     // in a row
  bool another_parks_timed = false;  // and will look for this one, too: there are more workers than processors
};
// A worker that is one more than there are processors.
struct Crowded {
  bool sees_tasks = false;
  bool others_look_later = false;  // some other worker sleeps with a time limit
};
// A worker that is about to sleep.
struct Sleepy {
  bool leaves_work = false;        // what is not for it alone is for others to find
  bool others_look_later = false;  // some other worker sleeps with a time limit
};

// ---- Throttling (throttle.hpp) ----

// A spawning thread that has been throttled.
struct Ahead {
  std::int64_t now = 0;   // limit in force
  std::int64_t most = 0;  // option throttle; 0: none
  int workers = 1;
};
struct Drained {
  std::int64_t tasks = 0;  // that it has run itself since; what others have ended says nothing of its time
  std::uint64_t ns = 0;    // how long that took it, less what it searched and slept
  bool someone_idle = false;
  std::int64_t in_order = 0;  // of all that it waits for, those that are best run in the order of their spawning
};

}  // namespace weir::sched::policy
