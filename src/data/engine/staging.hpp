// SPDX-License-Identifier: Apache-2.0

// Staging: the whole footprint of a ready task in place, or none of it.
//
// Takes room and pins for all blocks at once, starts what has to be fetched, and makes the request held when the last
// of it has landed; runs a task where its blocks are, or fails it, when room cannot be had. Under the lock of whoever
// drives the engine.
#pragma once

#include "data/engine/actions.hpp"
#include "data/engine/core.hpp"
#include "data/engine/fit.hpp"
#include "data/engine/pins.hpp"
#include "data/engine/room.hpp"
#include "data/engine/transfers.hpp"
#include "data/engine/worth.hpp"

namespace weir::data::engine {

// fragmented: there is room, but in pieces.
enum class Admitted : std::uint8_t { held, staging, later, fragmented };

class Staging {
 public:
  Staging(Core& core, Fit& fit, Worth& worth, Room& room, Pins& pins, Transfers& transfers, Homes& homes)
      : core_(core), fit_(fit), worth_(worth), room_(room), pins_(pins), transfers_(transfers), homes_(homes) {}

  // later, fragmented: nothing is held for it.
  Admitted stage(Request& request, const policy::Demand& demand, Actions& actions);
  // So much leaves that ranges join, the task's own blocks, too; nothing is brought in early until then. True: another
  // try is worth it at once.
  bool gather_room(Request& request, Actions& actions);

  // Uses that wait for the transfer of the replica: the last one that a task waits for makes it held, or failed.
  void wake(Replica& replica, const base::Status& status, Actions& actions);
  // Of a request whose room was taken back (Request::revoke()): it holds nothing.
  void give_up_places(Request& request) noexcept;

  // It cannot have its room: it runs where its blocks are, or fails with an error that names bytes, tier and remedy.
  void overflow(Request& request, Actions& actions);

 private:
  bool take_where_it_is(Use& use, const Target& target);
  bool take_home(Use& use);
  Admitted place_missing(Request& request, const Target& target, std::size_t missing, const policy::Demand& demand,
                         Actions& actions);
  Room::Made make_planned_room(Request& request, const Target& target, const policy::Demand& demand, Actions& actions);
  bool fill_missing(Request& request, NodeId target, Actions& actions);
  bool take_room(Use& use, NodeId node, Actions& actions);
  void begin_filling(Use& use, Actions& actions);
  void undo_filling(Use& use) noexcept;
  void note_used(Request& request) noexcept;
  Admitted settle(Request& request);
  void hold(Request& request);
  bool can_run_in_place(const Request& request, bool never) const noexcept;
  void run_in_place(Request& request, Actions& actions);
  void warn_of_place(const Request& request, bool in_file, std::size_t bytes, Actions& actions);
  base::Status refusal(Request& request, bool never);
  void fail(Request& request, base::Status status, Actions& actions);

  Core& core_;
  Fit& fit_;
  Worth& worth_;
  Room& room_;
  Pins& pins_;
  Transfers& transfers_;
  Homes& homes_;
  bool warned_in_file_ = false;
};

}  // namespace weir::data::engine
