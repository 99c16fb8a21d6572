// SPDX-License-Identifier: Apache-2.0

// Worth: whether a block is worth moving to where a task would have it. Under all strategies but `model` it always is.
//
// Gathers what policy/move.hpp decides on: the costs of both memories, who is known to use the block, and what would
// leave for it. Under the lock of whoever drives the engine.
#pragma once

#include <optional>

#include "data/engine/core.hpp"
#include "data/engine/fit.hpp"
#include "data/policy/move.hpp"
#include "machine/cost_model.hpp"

namespace weir::data::engine {

class Worth {
 public:
  explicit Worth(const Core& core) : core_(core) {}

  // By the numbers of nodes and domains. Until they are known, everything is worth moving.
  void set_costs(const machine::CostModel& costs) { costs_ = costs; }

  // `use` is not in place. `now`: its task is ready, and what is not moved now will be used where it is.
  enum class When : std::uint8_t { now, later };
  bool moving_pays(const Use& use, const Target& target, When when) noexcept {
    if (!costs_ || core_.config.strategy != Strategy::model) [[likely]]
      return true;
    return moving_pays_slow(use, target, when);
  }
  // The task uses what it has pinned.
  void note_use(const Request& request) noexcept {
    if (costs_ && core_.config.strategy == Strategy::model) [[unlikely]]
      note_use_slow(request);
  }

 private:
  enum class Way : std::uint8_t { fetch, write_back };

  bool moving_pays_slow(const Use& use, const Target& target, When when) noexcept;
  policy::Copy copy_of(const Use& use, NodeId fast, NodeId slow, Way way) const noexcept;
  policy::Move move_of(const Use& use, const Target& target, NodeId here) const noexcept;
  void note_use_slow(const Request& request) noexcept;
  NodeId node_without_replica(const Block& block) const noexcept;
  double seconds_in_place(const Block& block, NodeId node, Mode mode, DomainId domain) const noexcept;
  void count_uses(const Use& use, const Target& target, policy::Move& move) const noexcept;

  const Core& core_;
  std::optional<machine::CostModel> costs_;
  double forgone_ = 0;                     // seconds that were lost to save new memory, and not yet made use of
  double slow_bytes_ = 0, all_bytes_ = 0;  // used lately in memory slower than their tasks' targets, and in all
};

}  // namespace weir::data::engine
