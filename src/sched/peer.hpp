// SPDX-License-Identifier: Apache-2.0

// Peer: a worker as other threads see it: who it is, what it has, whether it is there, how to wake it.
//
// The base of Worker, and all that thieves, wakers and observers know of one. Any thread, but where a function says
// "the worker's thread". There as long as the scheduler.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/layout.hpp"
#include "sched/presence.hpp"
#include "sched/ready_queues.hpp"
#include "sched/task_heap.hpp"
#include "sched/team.hpp"
#include "trace/track.hpp"

namespace weir::sched {

struct WorkerStatistics {  // one writer, the worker; any thread reads, relaxed
  std::atomic<std::uint64_t> run{0}, cancelled{0}, steals{0}, stolen{0}, far_steals{0}, parks{0}, dropped{0};
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) noexcept {
    // Relaxed: statistics, exact only when no task runs.
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

// What a worker is, from its start to its end.
struct Identity {
  enum class Kind : std::uint8_t {
    worker,  // one of the threads that the runtime was asked for
    guest,   // a thread of the program's
    spare,   // runs tasks in the place of workers that wait
  };
  int index = 0;
  int domain = 0;
  Kind kind = Kind::worker;
  trace::Track* track = nullptr;  // where it records what it does; null: nowhere
};

class Peer {
 public:
  using Item = StealDeque::Item;

  Peer(Team& team, const Identity& identity)
      : queues_(team, identity.index, identity.domain),
        presence_(team.lot(identity.domain), team.queues(identity.domain).permits, identity.domain,
                  identity.kind == Identity::Kind::spare),
        heap_(static_cast<std::uint16_t>(identity.index), team.first_generation()),
        identity_(identity),
        team_(&team) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  int index() const noexcept { return identity_.index; }
  int domain() const noexcept { return identity_.domain; }
  bool is_spare() const noexcept { return identity_.kind == Identity::Kind::spare; }
  bool is_guest() const noexcept { return identity_.kind == Identity::Kind::guest; }
  Team& team() const noexcept { return *team_; }

  ReadyQueues& queues() noexcept { return queues_; }
  const ReadyQueues& queues() const noexcept { return queues_; }
  bool has_visible_task() const noexcept { return queues_.has_visible_task(); }
  std::uint64_t spawned() const noexcept { return queues_.spawned(); }
  std::uint64_t grain_ns() const noexcept { return queues_.grain_ns(); }
  TaskHeap& heap() noexcept { return heap_; }
  const WorkerStatistics& statistics() const noexcept { return statistics_; }

  Presence& presence() noexcept { return presence_; }
  const Presence& presence() const noexcept { return presence_; }
  // Whether it may take tasks: it has not given its permit up.
  bool has_permit() const noexcept { return presence_.permit().has(); }
  // The system's number of the thread that it is; 0: none yet.
  int thread() const noexcept { return presence_.thread(); }
  bool blocked() const noexcept { return presence_.blocked(); }
  bool idle() const noexcept { return presence_.idle(); }
  bool rests() const noexcept { return presence_.rests(); }
  void unpark() noexcept { presence_.unpark(); }

  // ---- The worker's thread ----
  WorkerStatistics& counters() noexcept { return statistics_; }
  trace::Track* track() const noexcept { return identity_.track; }

 protected:
  ~Peer() = default;

 private:
  ReadyQueues queues_;
  Presence presence_;
  TaskHeap heap_;
  WorkerStatistics statistics_;
  // Read-only after start, on a line of its own: thieves read it while the worker counts what it has run.
  alignas(base::kDestructiveSize) Identity identity_;
  Team* team_;
};

// ---- What a domain's workers share, by source ----

// Calls f(Peer&) for workers of the domain until it gives true; whether it did.
template <class F>
bool any_victim(const DomainQueues& domain, F&& f) {
  const std::uint32_t count = domain.victim_count.load(std::memory_order_acquire);  // VICTIM-1
  const auto first = domain.victims.begin();
  return std::any_of(first, first + count,
                     [&](const std::atomic<Peer*>& victim) { return f(*victim.load(std::memory_order_relaxed)); });
}

// Whether there is a task that `looker`, null: no worker, might take.
template <policy::Source kSource>
bool sees_shared(const DomainQueues& domain, const Peer* looker) noexcept {
  if constexpr (kSource == policy::Source::peers) {
    return any_victim(domain, [&](const Peer& victim) { return &victim != looker && victim.has_visible_task(); });
  } else {
    static_assert(policy::is_inbox(kSource));
    return !domain.inbox(kSource).empty();
  }
}
// The same of all that it has.
inline bool sees_in_domain(const DomainQueues& domain, const Peer* looker) noexcept {
  return policy::first_of<policy::is_of_domain>([&](auto source) { return sees_shared<source()>(domain, looker); });
}

}  // namespace weir::sched
