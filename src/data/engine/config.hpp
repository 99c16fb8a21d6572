// SPDX-License-Identifier: Apache-2.0

// What the engine is set up with, and what its parts count together.
#pragma once

#include <atomic>
#include <cstdint>

#include "data/engine/block.hpp"
#include "data/engine/task_text.hpp"
#include "weir/options.hpp"

namespace weir::data::engine {

// Those that follow the order of spawning, and bring in what tasks that are not ready will read.
constexpr bool looks_ahead(Strategy strategy) noexcept {
  return strategy == Strategy::ahead || strategy == Strategy::model;
}
// Others have a ready task wait while a block goes down a chain for it: measured, that is more than it gains.
constexpr bool has_chains(Chains chains, Strategy strategy) noexcept {
  return chains == Chains::on || (chains == Chains::auto_ && looks_ahead(strategy));
}

struct Config {
  Strategy strategy = Strategy::ahead;
  Evict evict = Evict::next_use;
  Allocation allocation = Allocation::fast;
  Overflow overflow = Overflow::in_place;
  std::uint32_t depth = 64;  // tasks looked at ahead
  std::uint32_t workers = 1;
  bool cores_to_spare = false;   // threads that copy have cores that no worker needs
  SiteText site_text = nullptr;  // for messages
  // Tiers between the first and a block's home hold copies of it: has_chains().
  bool chains = false;
};

struct Counters {
  std::uint64_t bytes_fetched = 0, bytes_written_back = 0;
  std::uint64_t hits = 0, misses = 0;  // uses of blocks that were, or were not, in place when their task was ready
  std::uint64_t prefetches = 0, evictions = 0, in_place_runs = 0, failures = 0;
};

// Requests by what they do.
struct Load {
  std::uint32_t waiting = 0;     // for room
  std::uint32_t fragmented = 0;  // of these, for room in one piece
  std::uint32_t staging = 0;
  std::uint32_t with_room = 0;  // held or begun
  // Held. Relaxed: counted up under the lock and down without it, when a task begins. Under the lock it is therefore
  // never too low; for a moment it may be too high, with which policies bring fewer tasks ahead.
  std::atomic<std::uint32_t> queued{0};
  std::uint32_t under_way = 0;  // transfers

  std::uint32_t queued_now() const noexcept { return queued.load(std::memory_order_relaxed); }
};

// Hears of what a trace shows, before the request goes on to another state. Called under the lock of whoever drives the
// engine.
class Observer {
 public:
  virtual void waits_for_room(Request& request) noexcept = 0;
  virtual void waits_for_transfers(Request& request) noexcept = 0;
  virtual void waits_no_more(Request& request) noexcept = 0;
  virtual void evicted(const Replica& replica) noexcept = 0;

 protected:
  ~Observer() = default;
};

}  // namespace weir::data::engine
