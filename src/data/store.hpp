// SPDX-License-Identifier: Apache-2.0

// Store: the blocks of one runtime, the tiers they live in, and the threads that move them.
//
// Puts an Engine (what is decided), a Mover (who copies) and a TierSet (where) under one lock. Knows nothing of
// tasks but their requests: whoever made it, its Requester, is notified when one can run. Any thread, unless a function
// says otherwise.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "data/block.hpp"
#include "data/block_addresses.hpp"
#include "data/engine/describe.hpp"
#include "data/engine/engine.hpp"
#include "data/lost_time.hpp"
#include "data/mover.hpp"
#include "data/preparer.hpp"
#include "data/stall_watch.hpp"
#include "data/store_trace.hpp"
#include "data/tier_memory.hpp"
#include "data/untracked.hpp"
#include "machine/machine.hpp"
#include "trace/recorder.hpp"
#include "weir/options.hpp"

namespace weir::data {

using engine::Actions;
using engine::RoomHolder;
using engine::Waiting;
using engine::WaitingTask;

struct TierState {
  std::string name;
  std::uint64_t used = 0, budget = 0;  // bytes
};

struct Activity {
  std::uint64_t changes = 0;    // grows whenever something was done
  std::uint32_t transfers = 0;  // that are under way
  std::uint32_t waiting = 0;    // tasks that wait for room, or for blocks that are on their way
};

struct StoreStatistics {
  engine::Counters counters;
  double wait_seconds = 0;               // of workers that had nothing to run while a ready task waited for its blocks
  double emulated_bytes_per_second = 0;  // that all copies from and to emulated memory share; 0: none was needed
  std::vector<std::string> warnings;
};

class Store final : public Landing, public UntrackedTasks::Tracker, public StallWatch::Ender {
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
  bool tracked() const noexcept { return untracked_.tracked(); }
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
  void* address_of(const Use& use) const noexcept { return addresses_.find(use); }

  // Tasks without requests; `thread` < threads, of the worker that spawns or runs it.
  UntrackedTasks& untracked() noexcept { return untracked_; }

  StoreStatistics statistics();
  // For people: which tasks wait, and what there is, a line each.
  std::vector<std::string> describe();
  Waiting waiting_tasks();
  // Fastest first.
  std::vector<TierState> tier_states();
  Activity activity() noexcept;
  TierSet& tiers() noexcept { return *tiers_; }
  std::vector<ArenaReport> tier_report();

 private:
  Store(const machine::Machine& machine, const Options& options, std::unique_ptr<TierSet> tiers, int workers,
        int threads, Sink& sink);
  void landed(Transfer& transfer, const base::Status& status) noexcept override;
  void prepare_growth() noexcept WEIR_REQUIRES(mutex_);
  void untracked_ended() override;
  void hold_ended(Block& block) override;
  // The one event that needs no lock.
  bool begin(Request& request) noexcept WEIR_NOT_ANALYSED { return engine_.begin(request); }
  // The way of all that is decided: `event` calls the engine under the lock; what it makes necessary is done after.
  template <class Event>
  auto decide(Event&& event);
  // Under the lock, after every change: publishes addresses, measures the waiting, and wakes the watchdog where there
  // is reason to.
  void note_change() noexcept WEIR_REQUIRES(mutex_);
  void land(Transfer& transfer, const base::Status& status, Actions& actions) WEIR_REQUIRES(mutex_);
  base::Status flush_unused(Block& block);
  // no_space: its threads cannot start.
  base::Status begin_tracking(Actions& actions) WEIR_REQUIRES(mutex_);
  void end_stall(bool stuck) override WEIR_REQUIRES(mutex_);
  void carry_out(Actions& actions);
  void settle_in_place(Request& request);
  void move_here(Transfer* transfers);
  void wait_for_transfers(base::Lock& lock, const Block& block) WEIR_REQUIRES(mutex_);

  const machine::Machine machine_;
  const Options options_;
  const std::unique_ptr<TierSet> tiers_;
  Sink& sink_;
  const int workers_;
  const bool moves_here_;  // workers copy themselves: off, inline
  UntrackedTasks untracked_;
  base::Mutex mutex_;
  std::condition_variable landed_;
  TierMemory memory_;
  BlockAddresses addresses_;
  engine::Engine engine_ WEIR_GUARDED_BY(mutex_);
  LostTime lost_time_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t changes_ WEIR_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> warnings_ WEIR_GUARDED_BY(mutex_);
  trace::Recorder* recorder_ = nullptr;
  std::unique_ptr<StoreTrace> trace_ WEIR_GUARDED_BY(mutex_);  // null: nothing is recorded
  std::unique_ptr<StallWatch> watch_;                          // null until tasks are tracked
  std::unique_ptr<Preparer> preparer_;                         // null until tasks are tracked
  std::unique_ptr<memory::CopyEngines> engines_;
  std::unique_ptr<Mover> mover_;  // last: its threads end first
};

}  // namespace weir::data
