// SPDX-License-Identifier: Apache-2.0

// Team: what all workers of a runtime share, as a worker sees it: domains, parking lots, options, the other workers.
//
// The scheduler is one, and fills it in. Unless a function says otherwise any thread may call it, from the first
// worker's start to the end of the scheduler.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sched/domain_queues.hpp"
#include "sched/parking_lot.hpp"
#include "sched/polls.hpp"
#include "weir/options.hpp"

namespace weir::sched {

class Blocking;
class Peer;

class Team {
 public:
  static constexpr int kMaxGuests = 1024;
  static constexpr int kMaxSpares = 2048;

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const Options& options() const noexcept { return options_; }
  int worker_count() const noexcept { return worker_count_; }
  // Indices of workers, spares and guests are below it.
  int thread_limit() const noexcept { return worker_count_ + kMaxGuests + kMaxSpares; }
  // More workers than processors that the process may use.
  bool oversubscribed() const noexcept { return worker_count_ > processors_; }
  std::uint64_t first_generation() const noexcept { return first_generation_; }

  int domain_count() const noexcept { return static_cast<int>(queues_.size()); }
  DomainQueues& queues(int domain) noexcept { return *queues_[static_cast<std::size_t>(domain)]; }
  const DomainQueues& queues(int domain) const noexcept { return *queues_[static_cast<std::size_t>(domain)]; }
  ParkingLot& lot(int domain) noexcept { return *lots_[static_cast<std::size_t>(domain) % lots_.size()]; }

  // What its workers ask for.
  Polls& polls() noexcept { return polls_; }

  // Any worker that exists; no lock, since workers never move and their list never grows past its reserve.
  Peer& peer(std::size_t index) noexcept { return *peers_[index]; }

  bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }

  // From now on a task that waits keeps its thread, and another one takes its place (blocking.hpp). Before the first
  // task; `layer` outlives the workers' threads.
  void let_tasks_block(Blocking& layer) noexcept { blocking_.store(&layer, std::memory_order_release); }  // PERMIT-3
  // Null: tasks run others while they wait.
  Blocking* blocking() const noexcept {
    return stopping() ? nullptr : blocking_.load(std::memory_order_acquire);  // PERMIT-3
  }
  // From now on workers take their oldest tasks first (policy/order.hpp). Before the first task. Relaxed, both: an
  // order that begins some tasks later does no harm.
  void serve_others() noexcept { serves_others_.store(true, std::memory_order_relaxed); }
  bool serves_others() const noexcept { return serves_others_.load(std::memory_order_relaxed); }
  // A new worker and its thread, which waits to be granted a permit.
  virtual base::Result<PermitHolder*> start_spare(int domain) = 0;

 protected:
  Team(const Options& options, int worker_count, int processors, std::uint64_t first_generation)
      : options_(options), worker_count_(worker_count), processors_(processors), first_generation_(first_generation) {
    peers_.reserve(static_cast<std::size_t>(thread_limit()));
  }
  ~Team() = default;

  // ---- The scheduler's, before workers start, or under its lock ----
  void add_domain() { queues_.push_back(std::make_unique<DomainQueues>(static_cast<std::size_t>(thread_limit()))); }
  void add_lot(int workers, int processors) { lots_.push_back(std::make_unique<ParkingLot>(workers, processors)); }
  void add_peer(Peer& peer) { peers_.push_back(&peer); }
  void begin_to_stop() noexcept { stopping_.store(true, std::memory_order_release); }
  int processors() const noexcept { return processors_; }

 private:
  const Options options_;
  const int worker_count_;
  const int processors_;
  const std::uint64_t first_generation_;
  std::vector<std::unique_ptr<DomainQueues>> queues_;
  std::vector<std::unique_ptr<ParkingLot>> lots_;  // one for all, or one per domain under policy numa
  std::vector<Peer*> peers_;                       // by index
  std::atomic<bool> stopping_{false};              // PARK-1: written before each worker is unparked
  std::atomic<bool> serves_others_{false};         // set before the first task
  Polls polls_;
  std::atomic<Blocking*> blocking_{nullptr};  // set before the first task, while workers look for one
};

}  // namespace weir::sched
