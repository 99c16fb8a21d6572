// SPDX-License-Identifier: Apache-2.0

// What a simulated worker has: the tasks that it is in, the ones that lie with it, and how its time went.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "data/engine/replica.hpp"
#include "sched/policy/snapshot.hpp"
#include "sched/policy/throttle.hpp"
#include "sim/prediction.hpp"
#include "sim/program.hpp"
#include "sim/task_graph.hpp"

namespace weir::sim {

// What a thread waits for while it runs others.
enum class Waits : std::uint8_t { nothing, children, room, task, all, ever };

// A task that runs, or a thread's own code (node null).
struct Frame {
  Node* node = nullptr;
  const Action* at = nullptr;
  const Action* end = nullptr;
  static constexpr unsigned kUnknown = ~0u;
  double factor = 1;  // of its computing, for memory that is faster or slower than the traced one, with `others` at it
  unsigned others = kUnknown;
  Waits waits = Waits::nothing;
  const Action* effect = nullptr;  // what it does now that its time has passed
  Node* awaited = nullptr;
  bool keeps_order = false;     // what it waits for it runs in the order of spawning
  std::uint32_t deque_end = 0;  // where the deque ended when it began to
  // Of a throttled spawner: when it began to wait, and what it had run and been idle by then.
  sched::policy::Room room;
  std::uint64_t since = 0, ran_before = 0, idle_before = 0;
};

// What a worker had left to do at some time, in the traced run's time, and how much longer than that it takes now.
struct Computing {
  bool active = false;
  std::uint64_t since = 0;
  double left_ns = 0;
  double pace = 1;
};

struct Worker {
  int index = 0;
  int domain = 0;  // of the runtime: those that have workers
  DomainId machine_domain{};
  bool takes_tasks = true;  // false: a thread of the program's that does so while it waits only
  std::vector<Frame> frames;
  std::unique_ptr<Scope> own_children;  // of the thread's own code

  Node* next = nullptr;     // runs first: what became ready here last
  std::deque<Node*> deque;  // the newest at the back; thieves take at the front
  std::deque<Node*> mailbox;
  std::uint64_t deque_changed = 0;  // when
  std::uint32_t deque_end = 0;      // how many were put there, less those taken at the back
  std::uint64_t grain_ns = sched::policy::kUnknownGrain;
  std::uint32_t looked = 0;  // how often it took from the domain's queue last
  std::uint32_t random = 0;

  Computing computing;
  bool runs_task = false;  // as Team has counted it

  // Moves blocks itself, one after the other.
  data::engine::Transfer* moving = nullptr;  // the first is under way when `copies`
  bool copies = false;

  std::uint64_t turn = 0;  // of its events
  // A thread of the program that has not begun, or has ended.
  bool is_away() const noexcept { return !takes_tasks && frames.back().waits == Waits::ever; }

  bool idle = false;
  bool woken = false;  // it will look
  std::uint64_t idle_since = 0;
  std::uint64_t busy_since = 0;
  std::uint64_t held_until = 0;  // by the data layer, which it has asked for something
  WorkerTime time;
};

// What all workers of a domain share.
struct DomainQueue {
  std::deque<Node*> ready;
  std::vector<int> workers;
};

}  // namespace weir::sim
