// SPDX-License-Identifier: Apache-2.0

// Engine: which blocks are where, who uses them, and what moves next.
//
// The decisions of the data layer as an engine over values: events in, actions out; no threads, locks, copies, clocks
// or addresses. A Store (data/store.hpp) drives it under its lock, hands the transfers it asks for to a copier, and
// reports when they have landed; a test or a simulation drives it step by step. The way of a request: add() when the
// task is spawned; ready() when nothing but data is missing; staged (Actions) when all its blocks are in place; begin()
// when it runs; finish() at the end. docs/blocks.md tells the whole story.
//
// This class only passes events to its parts, in the order in which they depend on each other: each uses those before
// it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/engine/actions.hpp"
#include "data/engine/admission.hpp"
#include "data/engine/core.hpp"
#include "data/engine/early.hpp"
#include "data/engine/fit.hpp"
#include "data/engine/homes.hpp"
#include "data/engine/nodes.hpp"
#include "data/engine/pins.hpp"
#include "data/engine/room.hpp"
#include "data/engine/staging.hpp"
#include "data/engine/strategy.hpp"
#include "data/engine/transfers.hpp"
#include "data/engine/worth.hpp"

namespace weir::data::engine {

class Engine {
 public:
  // `hierarchy` and the memory of each of its nodes outlive the engine.
  Engine(const Hierarchy& hierarchy, std::vector<NodeMemory*> memories, const Config& config);

  // Who hears of waits and evictions from now on; null: nobody.
  void set_observer(Observer* observer) noexcept { core_.observer = observer; }
  // Who tells tasks where blocks are, by take_relocated() after each event; null: nobody.
  void set_place_listener(PlaceListener* listener) noexcept { core_.replicas.set_listener(listener); }

  // What the strategy `model` weighs moves by; by the numbers of nodes and domains. Until then it moves as `ahead`
  // does.
  void set_costs(const machine::CostModel& costs) { worth_.set_costs(costs); }

  // ---- Blocks ----
  // Finds a home, and a place at once while blocks are not tracked. Fails with no_space: block, bytes, tiers, remedy.
  base::Status add(Block& block, const PlacementHint& hint = {}) { return homes_.add(block, hint); }
  // No unfinished request names it, no transfer is under way for it.
  void remove(Block& block, Actions& actions);
  // Adopted, and the newest contents are elsewhere: starts to write them back. False: nothing to do.
  bool flush(Block& block, Actions& actions);
  // The next block of which the only place has changed since the last call (Replicas::only_place()); null: no more.
  Block* take_relocated() noexcept { return core_.replicas.take_relocated(); }

  // From the first block on that does not fit in the fast tier, tasks have to register their requests. Before, blocks
  // have one address for ever, and tasks that use them are only counted, by the caller.
  bool tracked() const noexcept { return core_.tracked; }
  bool untracked_may_run() const noexcept { return admission_.untracked_may_run(); }
  // They have all ended.
  void untracked_ended(Actions& actions);
  // Every thread sees that tasks are tracked: what no task holds can leave.
  void tracking_begun(Actions& actions);
  // A task without a request holds the block no more.
  void hold_ended(Block& block, Actions& actions);

  // ---- Requests ----
  // In the order of spawning.
  void add(Request& request);
  // One block more, of a request that is not ready; the first of them adds the request. `early`: it is brought in at
  // once if nothing has to leave that is needed earlier.
  void add(Request& request, Block& block, Mode mode, bool early, Actions& actions);
  // Of a request that is not ready, or whose task runs: it needs that block no more.
  void release(Request& request, Block& block, Actions& actions);
  // It is not waited for any more. False: it is on its way, and will be staged.
  bool withdraw(Request& request, Actions& actions);
  // The task depends on nothing any more. True: all blocks are in place, held for it. False: it waits, or waits for a
  // transfer; it comes by Actions::staged.
  bool ready(Request& request, Actions& actions);
  // Its task starts to run, or to wait for an exclusion lock. Any thread, without the lock. False: try_begin() knows.
  bool begin(Request& request) noexcept { return core_.begin(request); }
  // Under the lock. False: it lost its room, and will be staged again. True: it has begun, or has failed.
  bool try_begin(Request& request) noexcept;
  // The task has ended, or was cancelled: then its blocks hold what they held before.
  void finish(Request& request, Actions& actions);

  // Admits what waits where there is room. Called by the others here where something has changed.
  void advance(Actions& actions);
  // Nothing runs that could give room back, and nothing is on its way (the caller has made sure): the first task that
  // waits has to do without, in slow memory or in the file's pages. `stuck`: nor will any be begun.
  void end_stall(bool stuck, Actions& actions);
  // A transfer has ended.
  void land(Transfer& transfer, const base::Status& status, Actions& actions);

  // ---- What there is ----
  // Tasks wait, and no transfer will change that.
  bool waits_for_tasks() const noexcept { return core_.load.waiting != 0 && core_.load.under_way == 0; }
  // Some have all they need and have not begun: they are in a queue, or on the way to one.
  bool has_queued() const noexcept { return core_.load.queued_now() != 0; }
  // Of them, some whose threads only have to go on.
  bool has_resuming() const noexcept { return core_.schedule.has_resuming(); }
  const Counters& counters() const noexcept { return core_.counters; }
  std::uint64_t fallbacks() const noexcept { return nodes_.fallbacks(); }
  // Tasks that have what they need but data.
  std::uint32_t waiting() const noexcept { return core_.load.waiting + core_.load.staging; }
  // Tasks that run, or whose children do, or that a worker only has to take.
  std::uint32_t running() const noexcept { return core_.load.with_room; }
  std::uint32_t transfers_under_way() const noexcept { return core_.load.under_way; }
  // For descriptions (describe.hpp).
  const Core& core() const noexcept { return core_; }
  std::size_t early_limit() const noexcept { return early_.limit(); }
  std::size_t untracked_blocks() const noexcept { return homes_.untracked_count(); }

 private:
  Core core_;
  Nodes nodes_;
  Homes homes_;
  Transfers transfers_;
  Room room_;
  Fit fit_;
  Worth worth_;
  Pins pins_;
  Staging staging_;
  Early early_;
  Admission admission_;
  const std::unique_ptr<MovingStrategy> strategy_;
};

}  // namespace weir::data::engine
