// SPDX-License-Identifier: Apache-2.0

// Scheduler: the workers of one runtime, grouped by domain, from start to stop.
//
// Owns all workers, guests included, for its whole life: a pointer to a worker stays good until the scheduler is
// destroyed. Everything but start and stop may be called by any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "platform/affinity.hpp"
#include "sched/inbox.hpp"
#include "sched/parking_lot.hpp"
#include "sched/permits.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"
#include "weir/options.hpp"

namespace weir::runtime {
struct State;  // src/runtime/runtime_state.hpp
}

namespace weir::sched {

// What the workers of one domain share.
struct DomainQueues {
  explicit DomainQueues(std::size_t workers) : victims(workers) {}

  Inbox urgent;      // Priority::urgent
  Inbox ready;       // from other domains
  Inbox background;  // Priority::background
  // Workers and guests to steal from; an entry is set before victim_count covers it, and never changes.
  std::vector<std::atomic<Worker*>> victims;
  std::atomic<std::uint32_t> victim_count{0};  // VICTIM-1: release after the entry, acquire before reading it
  std::vector<int> far;                        // other domains, nearest first; read-only after start
  Permits permits;                             // who may run tasks, where tasks block
};

class Scheduler {
 public:
  static constexpr int kMaxGuests = 256;
  static constexpr int kMaxSpares = 2048;

  // The calling thread becomes worker 0. Fails when a thread cannot be started or pinned.
  // `first_generation`: see TaskHeap. `recorder`: of what the workers do; null: nobody records; outlives it.
  static base::Result<std::unique_ptr<Scheduler>> start(const machine::Machine& machine, const Options& options,
                                                        std::uint64_t first_generation,
                                                        trace::Recorder* recorder = nullptr);
  // On the thread that started it, when no task is left.
  ~Scheduler();

  // The worker whose thread, one of the scheduler's own, the caller is; null on other threads.
  Worker* worker_of_this_thread() noexcept;
  // Ends its threads; what they have counted is final. No task is left. Also done by the destructor.
  void stop_threads() noexcept;

  // A worker for the calling thread, which is none of ours; reuses that of a thread that has ended. Fails beyond
  // kMaxGuests at a time.
  base::Result<Worker*> add_guest();
  // The guest's thread ends, or leaves the runtime.
  void release_guest(Worker* guest) noexcept;

  // From now on a task that waits keeps its thread, and another one takes its place (blocking.hpp). Before the first
  // task; `layer` outlives the scheduler's threads.
  void let_tasks_block(Blocking& layer) noexcept { blocking_.store(&layer, std::memory_order_release); }  // PERMIT-3
  // Null: tasks run others while they wait.
  Blocking* blocking() const noexcept {
    return stopping() ? nullptr : blocking_.load(std::memory_order_acquire);  // PERMIT-3
  }
  // A new worker and its thread, which waits to be granted a permit. Any thread.
  base::Result<Worker*> start_spare(int domain);

  // A ready task with a TaskExtra whose hooks let it go now. Any thread, a worker's or not; `domain`: where it would
  // best run, unless it asks for another itself.
  void submit(Task& task, int domain) noexcept;

  // On the thread of worker 0, which is about to wake another: that one is bound to its core, this thread is not, and
  // may be on it. The kernel would let one of them wait there, for milliseconds, though another core is free.
  void make_way() const noexcept;

  // Nobody runs a task and none is ready, as far as the layers above have let them go: without an event from outside
  // nothing will ever happen. May be wrong by a moment; true twice with nothing in between is right. Any thread.
  bool is_still() const noexcept { return stillness() != Stillness::none; }
  // Stuck: besides, what is ready, or becomes ready, is taken by nobody: those who could are blocked.
  enum class Stillness : std::uint8_t { none, still, stuck };
  Stillness stillness() const noexcept;

  // Index into the machine's domains of a domain that has workers.
  int machine_domain(int domain) const noexcept {
    return static_cast<int>(machine_domains_[static_cast<std::size_t>(domain)]);
  }
  const machine::Machine& machine() const noexcept { return machine_; }
  // The runtime that it belongs to, for the layers above, which alone know what that is; set once, before the first
  // task.
  runtime::State* owner = nullptr;

  int worker_count() const noexcept { return worker_count_; }
  // Indices of workers, spares and guests are below it.
  int thread_limit() const noexcept { return worker_count_ + kMaxGuests + kMaxSpares; }
  int domain_count() const noexcept { return static_cast<int>(queues_.size()); }
  DomainQueues& queues(int domain) noexcept { return *queues_[static_cast<std::size_t>(domain)]; }
  // The heap of any worker that exists; no lock, since workers never move and their vector never grows past its
  // reserve.
  Worker& worker(int index) noexcept { return *workers_[static_cast<std::size_t>(index)]; }
  TaskHeap& heap(std::size_t worker) noexcept { return workers_[worker]->heap(); }
  ParkingLot& lot(int domain) noexcept { return *lots_[static_cast<std::size_t>(domain) % lots_.size()]; }
  const Options& options() const noexcept { return options_; }
  Worker& first_worker() noexcept { return *workers_.front(); }
  bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }
  std::uint64_t first_generation() const noexcept { return first_generation_; }
  // More workers than processors that the process may use.
  bool oversubscribed() const noexcept { return worker_count_ > processors_; }
  // Calls f(const Worker&) for all workers and guests.
  template <class F>
  void for_each_worker(F&& f) const {
    const std::lock_guard lock(mutex_);
    for (const auto& worker : workers_) f(*worker);
  }

 private:
  Scheduler(const machine::Machine& machine, const Options& options, int worker_count, std::uint64_t first_generation,
            trace::Recorder* recorder);
  void place_workers();
  void make_domains();
  void make_lots(const std::vector<std::size_t>& used);
  void make_workers();
  base::Status start_threads();
  Worker& add_worker(int index, int domain, bool spare);
  int domain_of_this_thread() const;
  bool has_work(int domain) const noexcept;  // under mutex_
  bool takes_tasks(const Worker& worker) const noexcept;
  void join_threads() noexcept;

  machine::Machine machine_;
  Options options_;
  int worker_count_;
  std::uint64_t first_generation_;
  trace::Recorder* const recorder_;
  const int processors_;
  std::vector<std::unique_ptr<DomainQueues>> queues_;
  std::vector<std::unique_ptr<ParkingLot>> lots_;  // one for all, or one per domain under policy numa
  struct Place {
    std::size_t machine_domain;  // index into machine_.domains()
    std::size_t core;            // within the domain
    int domain;                  // index into queues_
  };
  std::vector<int> cpus_of(const Place& place, Bind bind) const;
  std::vector<Place> places_;                 // of worker i
  std::vector<std::size_t> machine_domains_;  // of domain i
  std::atomic<bool> stopping_{false};
  std::vector<int> cores_;                                // CPU of worker i; empty unless each is bound to its own
  std::unique_ptr<platform::ScopedBinding> own_binding_;  // of worker 0's thread, under several domains
  std::vector<std::thread> threads_;
  std::atomic<Blocking*> blocking_{nullptr};  // set before the first task, while workers look for one

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // guarded by mutex_ once threads run; grows by guests
  std::vector<Worker*> free_guests_;              // guarded by mutex_
  std::vector<std::thread> spare_threads_;        // guarded by mutex_
  int spares_ = 0;                                // guarded by mutex_: how many were ever started
};

}  // namespace weir::sched
