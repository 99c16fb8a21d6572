// SPDX-License-Identifier: Apache-2.0

// Room: what leaves a node so that something else has room there, and where it goes: to the next tier that has room, or
// home.
//
// The rules, of what may leave for whom, are policy/evict.hpp and policy/prefetch.hpp. Nothing leaves unless all that
// may leave makes the room that is wanted: else blocks would leave and be fetched again, in circles, while no task
// runs. Under the lock of whoever drives the engine.
#pragma once

#include <cstddef>

#include "data/engine/actions.hpp"
#include "data/engine/core.hpp"
#include "data/engine/transfers.hpp"

namespace weir::data::engine {

class Room {
 public:
  // made: it is there now. coming: it is when what is written back has landed. none: not enough may leave.
  enum class Made : std::uint8_t { now, coming, none };

  Room(Core& core, Transfers& transfers) : core_(core), transfers_(transfers) {}

  // `bytes` free on the node, for a ready task.
  Made make(NodeId node, std::size_t bytes, const policy::Demand& demand, Actions& actions);
  // The same for a task that is not ready. False: nor will there be.
  bool make_for_later(NodeId node, std::size_t bytes, const policy::Later& later, Actions& actions);
  // What may leave for the task, of what no task uses.
  std::size_t displaceable(NodeId node, const policy::Demand& demand) const noexcept;

  // Enough is free, but in pieces: one range of `bytes`, by making one block leave that is as large.
  Made make_hole(NodeId node, std::size_t bytes, Actions& actions);
  Made make_hole_for_later(NodeId node, std::size_t bytes, const policy::Later& later, Actions& actions);
  // Nothing there is so large: `bytes` leave, whatever they are, so that ranges join. True: some range may do now.
  bool gather(NodeId node, std::size_t bytes, Actions& actions);

  // Evict::refcount: at once when no ready task needs it. What `off` had to fetch from a file does not stay either.
  void evict_unneeded(Block& block, Actions& actions);

 private:
  // now: its room is free; coming: it will be; no: it stays.
  enum class Left : std::uint8_t { no, now, coming };

  Left evict(Replica& victim, Actions& actions);
  bool has_copy_below(Replica& victim) noexcept;
  bool may_descend(const Block& block) const noexcept;
  Replica* room_below(Replica& victim) noexcept;
  Replica* room_on(NodeId node, Block& block, const policy::Candidate& leaving) noexcept;
  std::size_t room_at_no_cost(NodeId node, const policy::Candidate& leaving) const noexcept;
  void drop_first(NodeId node) noexcept;
  template <class MayLeave>
  bool make_leave(NodeId node, std::size_t bytes, MayLeave may_leave, Actions& actions);
  template <class MayLeave>
  Made make_hole(NodeId node, std::size_t bytes, MayLeave may_leave, int most, Actions& actions);

  Core& core_;
  Transfers& transfers_;
};

}  // namespace weir::data::engine
