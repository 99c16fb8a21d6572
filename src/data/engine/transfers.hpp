// SPDX-License-Identifier: Apache-2.0

// Transfers: a replica's way to and from its home, or another tier: what starts one, and what its landing makes of the
// replica.
//
// Which one is to move is decided above. Landing has two steps: land() takes note of what happened to the contents; the
// uses that wait for it (Replica::landing) are dealt with above; then settle() lets go of a replica that is not needed.
// Under the lock of whoever drives the engine.
#pragma once

#include "data/engine/actions.hpp"
#include "data/engine/core.hpp"
#include "data/engine/homes.hpp"

namespace weir::data::engine {

class Transfers {
 public:
  Transfers(Core& core, Homes& homes) : core_(core), homes_(homes) {}

  // Contents for a replica that is filling, from the newest other replica or from the home.
  void start_fetch(Replica& replica, bool ahead, Actions& actions);
  // The contents of a dirty replica go home. `leaving`: it is dropped then. False: its home has no place, and the
  // replica stays until a task has failed because of that.
  bool start_write_back(Replica& replica, bool leaving, Actions& actions);
  // The contents of a clean or dirty replica go to `lower`, of a slower tier, which was made for them; then it is
  // dropped.
  void start_descent(Replica& replica, Replica& lower, Actions& actions);
  // `lower` has the same contents: it takes over what makes a replica dirty, and nothing has to be copied.
  void take_over(Replica& dirty, Replica& lower) noexcept;

  // The transfer has ended.
  void land(Transfer& transfer, const base::Status& status, Actions& actions);
  void settle(Transfer& transfer) noexcept;

  // Out of its node at once: it is clean, and no task uses it.
  void drop_evicted(Replica& replica) noexcept;
  // The disk may have room again.
  void try_writing_again() noexcept;

 private:
  void land_fetch(Replica& replica, const base::Status& status) noexcept;
  void land_write_back(Replica& replica, const base::Status& status, Actions& actions);
  void settle_fetch(Replica& replica) noexcept;
  void settle_write_back(Replica& replica) noexcept;
  void begin_draining(Replica& replica, Replica* lower, bool leaving, Actions& actions);
  void land_in_lower(Replica& replica, Replica& lower, const base::Status& status) noexcept;
  void set_write_failed(Replica& replica, const base::Status& status);

  Core& core_;
  Homes& homes_;
};

}  // namespace weir::data::engine
