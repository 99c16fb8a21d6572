// SPDX-License-Identifier: Apache-2.0

// Core: what the parts of one engine share: the configuration, the books, and what they count together.
#pragma once

#include <cstdint>
#include <vector>

#include "data/engine/config.hpp"
#include "data/engine/ledger.hpp"
#include "data/engine/replicas.hpp"
#include "data/engine/schedule.hpp"

namespace weir::data::engine {

struct Core {
  Core(const Hierarchy& hierarchy, std::vector<NodeMemory*> memories, const Config& with);

  const Hierarchy& hierarchy() const noexcept { return ledger.hierarchy(); }
  const TierShape& usual_tier() const noexcept { return hierarchy().tier(usual); }
  // Where the task's blocks are brought to, for messages.
  const TierShape& tier_for(const Request& request) const noexcept {
    return request.target.is_set() ? hierarchy().tier(request.target.tier()) : usual_tier();
  }
  TierIndex tier_of(const Replica& replica) const noexcept { return hierarchy().tier_of(replica.place.node); }
  bool nothing_moves() const noexcept { return config.strategy == Strategy::off; }

  // Moves the request on, and counts it there. From held it goes on by begin() and revoke() only.
  void set_state(Request& request, RequestState to) noexcept;
  // Any thread, without the lock. False: its room has been taken back, or it has failed.
  bool begin(Request& request) noexcept {
    if (!request.begin()) return false;
    load.queued.fetch_sub(1, std::memory_order_relaxed);  // relaxed: Load::queued says why
    return true;
  }
  // It waits again, unless its task has begun.
  bool revoke(Request& request) noexcept;

  const Config config;
  const TierIndex usual;  // the tier that the mode of allocation means; a task's own: Fit::target_of()
  const bool chain;       // Config::chains, and Hierarchy::has_chain()
  Ledger ledger;
  Replicas replicas;
  Schedule schedule;
  Load load;
  Counters counters;
  bool tracked = false;          // tasks have to register requests
  bool ends_stall = false;       // while a stall is being ended: what is kept for others is not kept
  std::uint64_t tick = 0;        // grows with every task that ends
  base::Status write_failure;    // why something could not leave
  Observer* observer = nullptr;  // null: there is no trace
};

}  // namespace weir::data::engine
