// SPDX-License-Identifier: Apache-2.0

// Pins: the uses of a task, each counted on a place: taken before the task runs, published and left at its end.
//
// Under the lock of whoever drives the engine.
#pragma once

#include "data/engine/core.hpp"

namespace weir::data::engine {

class Pins {
 public:
  // Which replicas are good enough: those that the mode of allocation would make; or all.
  enum class Reuse : std::uint8_t { good, any };

  explicit Pins(Core& core) : core_(core) {}

  // Pins the block where it is, if that will do for a task whose blocks are brought to `target`: best of all where
  // another task uses it, since one around this one may write there. False: it has to be brought.
  bool take(Use& use, NodeId target, Reuse reuse);
  void take_home(Use& use) noexcept;
  void take_replica(Use& use, Replica& replica) noexcept;
  // The use counts on no place any more; whatever it waited for.
  void leave(Use& use) noexcept;
  void leave_all(Request& request) noexcept {
    for (Use& use : request.uses()) leave(use);
  }

  // The task has run: what it wrote is what the block holds. Not earlier, for it might have been cancelled; nobody but
  // its children could have used the block since, and they find it where the task has it.
  void publish(Use& use) noexcept;

 private:
  bool is_good(const Replica& replica, NodeId target) const noexcept;
  bool is_better(const Replica& a, const Replica& b, NodeId target) const noexcept;

  Core& core_;
};

}  // namespace weir::data::engine
