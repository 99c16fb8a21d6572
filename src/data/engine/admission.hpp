// SPDX-License-Identifier: Apache-2.0

// Admission: which task that waits for room is next.
//
// Why no task waits for ever, and which one fails, is argued in docs/protocols/admission.md; the rules are
// policy/admit.hpp. Under the lock of whoever drives the engine.
#pragma once

#include <set>
#include <vector>

#include "data/engine/core.hpp"
#include "data/engine/fit.hpp"
#include "data/engine/homes.hpp"
#include "data/engine/staging.hpp"
#include "data/engine/strategy.hpp"
#include "data/policy/admit.hpp"

namespace weir::data::engine {

class Admission {
 public:
  struct ByTurn {
    bool operator()(const Request* a, const Request* b) const noexcept {
      return policy::comes_before({a->depth, a->sequence}, {b->depth, b->sequence});
    }
  };
  using Lane = std::set<Request*, ByTurn>;

  // `lanes`: queues of waiting tasks, by the worker at which they became ready.
  Admission(Core& core, Fit& fit, Staging& staging, const Homes& homes, std::size_t lanes)
      : core_(core), fit_(fit), staging_(staging), homes_(homes), lanes_(lanes) {}
  void set_strategy(const MovingStrategy& strategy) noexcept { strategy_ = &strategy; }

  // The task is ready. held: it may run at once; staging; or it waits, or comes by Actions::staged.
  Admitted admit_ready(Request& request, Actions& actions);
  // False: it still waits.
  bool admit_waiting(Request& request, Actions& actions);
  // It waits no more, whatever becomes of it.
  void remove(Request& request) noexcept { lane_of(request).erase(&request); }

  // Tasks that run, or were made inside of such as hold room: all others wait for these. Those that have not begun give
  // their room back for them; `stuck`: no task will be begun.
  bool has_urgent() const noexcept { return !urgent_.empty(); }
  void advance_urgent(bool stuck, Actions& actions);
  // Null when none waits.
  Request* first_waiting() noexcept;

  std::vector<Lane>& lanes() noexcept { return lanes_; }
  // It takes nothing from those that wait.
  bool may_pass(const Request& request) const noexcept { return policy::may_pass(newcomer(request)); }
  // Tasks that are not tracked may still use blocks: none of these leaves.
  bool untracked_may_run() const noexcept { return core_.tracked && homes_.has_untracked(); }

 private:
  Admitted admit(Request& request, Actions& actions);
  bool may_try(const Request& request) const noexcept;
  bool queue_behind_others(Request& request, Actions& actions);
  policy::Newcomer newcomer(const Request& request) const noexcept;
  bool revoke_one(bool stuck);
  void enqueue(Request& request, bool fragmented);
  Lane& lane_of(const Request& request) noexcept;

  Core& core_;
  Fit& fit_;
  Staging& staging_;
  const Homes& homes_;
  const MovingStrategy* strategy_ = nullptr;
  std::vector<Lane> lanes_;
  Lane urgent_;
};

}  // namespace weir::data::engine
