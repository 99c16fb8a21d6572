// SPDX-License-Identifier: Apache-2.0

// Early: blocks that are brought in before their task is ready. Nothing is pinned for it.
//
// Two ask: a strategy that looks ahead, for all that a task will read, and the maker of a block, for that block. Under
// the lock of whoever drives the engine.
#pragma once

#include "data/engine/actions.hpp"
#include "data/engine/core.hpp"
#include "data/engine/fit.hpp"
#include "data/engine/room.hpp"
#include "data/engine/transfers.hpp"
#include "data/engine/worth.hpp"
#include "data/policy/prefetch.hpp"

namespace weir::data::engine {

class Early {
 public:
  Early(Core& core, Fit& fit, Worth& worth, Room& room, Transfers& transfers)
      : core_(core), fit_(fit), worth_(worth), room_(room), transfers_(transfers) {}

  // All that the task will read and that is not there; `now`: of the first task that has yet to begin. False: there is
  // no room, nor will there be.
  bool prefetch(Request& request, policy::Ahead& ahead, policy::Sequence now, Actions& actions) {
    for (const Use& use : request.uses())
      if (can_come(use)) [[unlikely]]
        return prefetch_slow(request, ahead, now, actions);
    return true;
  }
  std::size_t limit() const noexcept { return policy::early_limit(core_.usual_tier().budget); }

  // One block, out of turn: its maker says that it will be needed soon. Now, or when something has left.
  void want(Use& use, Actions& actions);
  void forget(Use& use) noexcept;
  bool has_wanted() const noexcept { return wanted_ != 0; }
  void bring_wanted(Actions& actions);

 private:
  // Not where a task would have it, and nothing hinders.
  bool can_come(const Use& use) const noexcept {
    const Block& block = *use.block;
    if (block.is_used_at_home() || (block.replicas != nullptr && !(core_.chain && waits_below(block)))) return false;
    if (block.fetch_failed) return false;  // the task shall be told
    return !(use.fresh && block.written);  // some task may still read what is there
  }
  bool stays(const Use& use, const Target& target) noexcept;
  bool waits_below(const Block& block) const noexcept;
  bool prefetch_slow(Request& request, policy::Ahead& ahead, policy::Sequence now, Actions& actions);
  void bring(Use& use, Actions& actions);
  bool start(Use& use, NodeId target, const policy::Later& later, Actions& actions);

  Core& core_;
  Fit& fit_;
  Worth& worth_;
  Room& room_;
  Transfers& transfers_;
  std::uint32_t wanted_ = 0;  // uses that are Use::early
};

}  // namespace weir::data::engine
