// SPDX-License-Identifier: Apache-2.0

// Copies: how long copies between nodes take on the target, and what they have moved.
//
// Memory to memory by the cost model, slower for as many others as use the same nodes; emulated memory by turns, as
// memory::Throttle has it; a file by one pipe for all. Owned by a Simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "data/engine/place.hpp"
#include "sim/target.hpp"

namespace weir::sim {

// How late a thread wakes that sleeps until a time, with a core to itself, and where others have all of them
// (docs/tuning/trace.md#threads-that-wake-late).
inline constexpr std::uint64_t kLateNs = 60'000, kCrowdedLateNs = 150'000;

// What a copy takes.
struct CopyCost {
  double work_ns = 0;       // of a core
  std::uint64_t until = 0;  // when its bytes have passed a file, or emulated memory; it does not end before
  bool sleeps = false;      // until then, and wakes late; but not for little

  // When it ends whose work was done at that time, and whose thread wakes so late if it sleeps.
  std::uint64_t end(std::uint64_t worked_until, std::uint64_t late_ns = kLateNs) const noexcept;
};

class Copies {
 public:
  explicit Copies(const Target& target);

  // From or to: none is the program's memory. It begins at `now` (ns), and counts as under way until end().
  CopyCost begin(std::uint64_t now, data::engine::NodeId from, data::engine::NodeId to, std::uint64_t bytes);
  void end(data::engine::NodeId from, data::engine::NodeId to, std::uint64_t bytes);
  // When `bytes` of emulated memory have been used in place.
  std::uint64_t use_emulated(std::uint64_t now, std::uint64_t bytes);
  bool is_file(data::engine::NodeId node) const {
    return node != data::engine::NodeId::none && target_.memory[data::engine::index_of(node)] == Target::kFile;
  }

  // Bytes [from tier][to tier]; the last is the program's memory.
  const std::vector<std::vector<std::uint64_t>>& moved() const noexcept { return moved_; }

 private:
  std::size_t tier_of(data::engine::NodeId node) const;
  std::size_t memory_of(data::engine::NodeId node) const;
  bool is_emulated(data::engine::NodeId node) const;
  std::uint64_t reserve(std::uint64_t now, std::uint64_t bytes);

  const Target& target_;
  std::vector<unsigned> streams_;  // under way, by memory node of the cost model
  std::vector<std::vector<std::uint64_t>> moved_;
  double emulated_free_at_ = 0;  // ns
  double file_free_at_ = 0;      // ns
};

}  // namespace weir::sim
