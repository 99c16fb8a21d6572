// SPDX-License-Identifier: Apache-2.0

// Scheduler: the workers of one runtime, grouped by domain, from start to stop. What workers see of it is its base
// Team.
//
// Owns all workers, guests included, for its whole life: a pointer to a worker stays good until the scheduler is
// destroyed. Everything but start and stop may be called by any thread.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "platform/affinity.hpp"
#include "sched/team.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"
#include "weir/options.hpp"

namespace weir::runtime {
struct State;  // src/runtime/runtime_state.hpp
}

namespace weir::sched {

class Scheduler final : public Team {
 public:
  // The calling thread becomes worker 0. Fails when a thread cannot be started or pinned.
  // `first_generation`: see TaskHeap. `recorder`: records what the workers do, and outlives the scheduler; null:
  // nothing is recorded.
  static base::Result<std::unique_ptr<Scheduler>> start(const machine::Machine& machine, const Options& options,
                                                        std::uint64_t first_generation,
                                                        trace::Recorder* recorder = nullptr);
  // On the thread that started it, when no task is left.
  ~Scheduler();

  // The worker whose thread, one of the scheduler's own, the caller is; null on other threads.
  Worker* worker_of_this_thread() noexcept;
  // Ends its threads; what they have counted is final. No task is left. Also done by the destructor.
  void stop_threads() noexcept;

  // A worker for the calling thread, which is none of ours: that of a thread that has ended and left nothing, or a new
  // one; where there are kMaxGuests, that of one that has left tasks or an error, which the caller has to see to before
  // it spawns. Fails when all are of threads that have not ended.
  base::Result<Worker*> add_guest();
  // The guest's thread ends, or leaves the runtime.
  void release_guest(Worker* guest) noexcept;

  // A ready task that is not plain, and whose hooks let it go now. Any thread, a worker's or not; `domain`: where it
  // would best run, unless it asks for another itself.
  void submit(Task& task, int domain) noexcept;

  // No task runs and none is ready, as far as the layers above have let them go: without an event from outside
  // nothing will ever happen. May be wrong by a moment; true twice with nothing in between is right. Any thread.
  bool is_still() const noexcept { return stillness() != Stillness::none; }
  // Stuck: besides, what is ready, or becomes ready, is taken by no worker: those that could are blocked.
  enum class Stillness : std::uint8_t { none, still, stuck };
  Stillness stillness() const noexcept;

  // The machine's domain that a domain with workers is.
  DomainId machine_domain(int domain) const noexcept { return machine_domains_[static_cast<std::size_t>(domain)]; }
  const machine::Machine& machine() const noexcept { return machine_; }
  // The runtime that it belongs to, for the layers above, which alone know what that is; set once, before the first
  // task.
  runtime::State* owner = nullptr;

  // Any that exists; no lock, as Team::peer(): the vector never grows beyond what it was made for, so others stay put.
  Worker& worker(int index) noexcept WEIR_NOT_ANALYSED { return *workers_[static_cast<std::size_t>(index)]; }
  Worker& first_worker() noexcept WEIR_NOT_ANALYSED { return *workers_.front(); }
  // Calls f(const Worker&) for all workers and guests.
  template <class F>
  void for_each_worker(F&& f) const {
    const base::Lock lock(mutex_);
    for (const auto& worker : workers_) f(*worker);
  }

 private:
  Scheduler(const machine::Machine& machine, const Options& options, int worker_count, std::uint64_t first_generation,
            trace::Recorder* recorder);
  base::Result<PermitHolder*> start_spare(int domain) override;
  void place_workers();
  void make_domains();
  void make_lots(const std::vector<DomainId>& used);
  void make_workers();
  base::Status start_threads();
  Worker& add_worker(int index, int domain, Identity::Kind kind) WEIR_REQUIRES(mutex_);
  Worker* take_free_guest(std::vector<Worker*>::iterator guest) WEIR_REQUIRES(mutex_);
  int domain_of_this_thread() const;
  bool has_work(int domain) const noexcept;
  bool takes_tasks(const Worker& worker) const noexcept;
  void join_threads() noexcept;

  struct CoreOf {
    DomainId machine_domain;
    std::size_t core;  // within the domain
    int domain;        // of the team
  };
  std::vector<int> cpus_of(const CoreOf& place, Bind bind) const;

  const machine::Machine machine_;
  trace::Recorder* const recorder_;
  std::vector<CoreOf> places_;                            // of worker i
  std::vector<DomainId> machine_domains_;                 // of domain i
  std::unique_ptr<platform::ScopedBinding> own_binding_;  // of worker 0's thread, under several domains
  std::vector<std::thread> threads_;

  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_ WEIR_GUARDED_BY(mutex_);  // once threads run; grows by guests
  std::vector<Worker*> free_guests_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::thread> spare_threads_ WEIR_GUARDED_BY(mutex_);
  int spares_ WEIR_GUARDED_BY(mutex_) = 0;  // how many were ever started
};

}  // namespace weir::sched
