// SPDX-License-Identifier: Apache-2.0

// Store: the blocks of one runtime, the tiers they live in, and the threads that move them.
//
// Puts an Engine (what is decided), a Mover (who copies) and a TierSet (where) under one lock. Knows nothing of
// tasks but their requests: whoever made it, its Requester, is notified when one can run. Any thread, unless a function
// says otherwise.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "data/block.hpp"
#include "data/engine/describe.hpp"
#include "data/engine/engine.hpp"
#include "data/mover.hpp"
#include "data/tier_memory.hpp"
#include "data/trace_observer.hpp"
#include "machine/machine.hpp"
#include "trace/recorder.hpp"
#include "weir/options.hpp"

namespace weir::data {

using engine::Actions;
using engine::RoomHolder;
using engine::Waiting;
using engine::WaitingTask;

// What a store asks of those who run tasks. Called without the store's lock.
class Sink {
 public:
  // No task runs and none is ready: only the store can make something happen. May be wrong by a moment.
  virtual bool still() noexcept = 0;
  // Nor would a worker take one that became ready: those who could wait for room themselves.
  virtual bool stuck() noexcept = 0;

 protected:
  ~Sink() = default;
};

struct TierState {
  std::string name;
  std::uint64_t used = 0, budget = 0;  // bytes
};

struct StoreStatistics {
  engine::Counters counters;
  double wait_seconds = 0;  // of workers that had nothing to run while a ready task waited for its blocks
  std::vector<std::string> warnings;
};

class Store final : public Landing {
 public:
  // `workers` that run tasks, `threads` that may (guests, too). Fails with what TierSet::open() or the options say.
  // `tiers_config`: for tests that make memory scarce or I/O fail.
  static base::Result<std::unique_ptr<Store>> open(const machine::Machine& machine, const Options& options, int workers,
                                                   int threads, Sink& sink, TierSetConfig tiers_config = {});
  // No block is left.
  ~Store();
  // Records moves, waits and what tiers hold, on a track of its own. Before the first block; `recorder` outlives it.
  void record_on(trace::Recorder& recorder);

  // ---- Blocks ----
  // `program` not null: the memory to adopt. `domain`: of the calling thread. Fails with no_space.
  base::Result<Block*> make(const detail::BlockLayout& layout, void* program, const char* name, DomainId domain,
                            const PlacementHint& hint = {});
  // No unfinished task names it. Waits for transfers; flushes an adopted block. The status is of that.
  base::Status drop(Block* block) noexcept;
  // As drop(), but the block itself stays, without memory and store.
  base::Status empty(Block& block) noexcept;
  // Refused with bad_input while an unfinished task names it, as far as tasks register what they use.
  base::Status flush(Block& block);

  // ---- Requests: as Engine ----
  // False while every block is in the fast tier for ever, or until there are more than it holds: then tasks register
  // no requests, but tell when they begin and end.
  bool tracked() const noexcept { return tracked_.load(std::memory_order_acquire); }  // STORE-1
  void add(Request& request);
  void add(Request& request, Block& block, Mode mode, bool early);
  void release(Request& request, Block& block);
  bool withdraw(Request& request);
  // `lane`: of the worker at which it became ready; `domain`: where it will run.
  bool ready(Request& request, int lane, DomainId domain);
  // Before the task's function runs, once ready() has been asked. Waits as long as an emulated tier asks for what is
  // used in place. False: it comes again by Requester::staged(). True: it may run, unless there is a `failure`.
  bool try_begin(Request& request);
  void finish(Request& request);
  // Where the task finds the block. Any thread; of a task that has begun.
  void* address_of(const Use& use) const noexcept;

  // ---- Tasks without requests; `thread` < threads, of the worker that spawns or runs it ----
  // False: they are tracked now; the task needs a request.
  bool begin_untracked(int thread) noexcept;
  void end_untracked(int thread) noexcept;

  // ---- The same by block, of those with PlacementHint::counts_holds ----
  // While tasks are not tracked, the block stays where it is until release_hold(). False: they are; a request is
  // needed.
  bool hold(Block& block) noexcept;
  void release_hold(Block& block) noexcept;

  StoreStatistics statistics();
  std::vector<std::string> describe_waiting();
  std::vector<std::string> describe_state();
  Waiting waiting_tasks();
  // Fastest first.
  std::vector<TierState> tier_states();
  // Changes whenever something was done; whether transfers are under way.
  std::uint64_t changes(bool& moving) noexcept;
  // That all copies from and to emulated memory share; 0: there is no such memory, or it was not needed.
  double emulated_bytes_per_second() const noexcept;
  TierSet& tiers() noexcept { return *tiers_; }
  std::vector<ArenaReport> tier_report();

 private:
  // STORE-1: written by its thread only, read by who looks whether all have ended.
  struct alignas(base::kDestructiveSize) Untracked {
    std::atomic<std::uint64_t> begun{0}, ended{0};
  };

  Store(const machine::Machine& machine, const Options& options, std::unique_ptr<TierSet> tiers, int workers,
        int threads, Sink& sink);
  void landed(Transfer& transfer, const base::Status& status) noexcept override;
  void has_time() noexcept override;
  // The one event that needs no lock.
  bool begin(Request& request) noexcept WEIR_NOT_ANALYSED { return engine_.begin(request); }
  // The way of all that is decided: `event` calls the engine under the lock; what it makes necessary is done after.
  template <class Event>
  auto decide(Event&& event);
  // Under the lock, after every change: publishes addresses, measures the waiting, and wakes the watchdog where there
  // is reason to.
  void note_change() noexcept WEIR_REQUIRES(mutex_);
  void publish_addresses() noexcept WEIR_REQUIRES(mutex_);
  void publish_address(Block& block) noexcept WEIR_REQUIRES(mutex_);
  void* home_address(const Block& block) const noexcept;
  void land(Transfer& transfer, const base::Status& status, Actions& actions) WEIR_REQUIRES(mutex_);
  base::Status flush_unused(Block& block);
  void record_move(const Transfer& transfer) noexcept WEIR_REQUIRES(mutex_);
  void record_made(const Block& block) noexcept WEIR_REQUIRES(mutex_);
  void record_residency() noexcept WEIR_REQUIRES(mutex_);
  std::uint64_t used_in(engine::TierIndex tier) const noexcept WEIR_REQUIRES(mutex_);
  void begin_tracking(Actions& actions) WEIR_REQUIRES(mutex_);
  void count_untracked(Actions& actions) WEIR_REQUIRES(mutex_);
  void watch() noexcept;
  void end_stall(bool stuck) WEIR_REQUIRES(mutex_);
  void carry_out(Actions& actions);
  void settle_in_place(Request& request);
  base::Status use_in_file(Block& block);
  void move_here(Transfer* transfers);
  void wait_for_transfers(base::Lock& lock, const Block& block) WEIR_REQUIRES(mutex_);

  const machine::Machine machine_;
  const Options options_;
  const std::unique_ptr<TierSet> tiers_;
  Sink& sink_;
  const int workers_;
  const bool moves_here_;  // workers copy themselves: off, inline
  std::vector<Untracked> untracked_;
  std::atomic<bool> tracked_{false};  // STORE-1
  base::Mutex mutex_;
  std::condition_variable landed_;
  TierMemory memory_;
  engine::Engine engine_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t changed_at_ns_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ns_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint32_t lost_workers_ WEIR_GUARDED_BY(mutex_) = 0;  // since changed_at_ns_
  std::vector<std::string> warnings_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t changes_ WEIR_GUARDED_BY(mutex_) = 0;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  trace::Recorder* recorder_ = nullptr;
  trace::Track* track_ WEIR_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<TraceObserver> observer_;
  std::vector<std::uint64_t> recorded_ WEIR_GUARDED_BY(mutex_);  // bytes in use by tier, as last recorded
  std::condition_variable suspicion_;                            // tasks wait for room that only tasks can give back
  std::thread watchdog_;
  std::unique_ptr<memory::CopyEngines> engines_;
  std::unique_ptr<Mover> mover_;  // last: its threads end first
};

}  // namespace weir::data
