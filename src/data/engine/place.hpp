// SPDX-License-Identifier: Apache-2.0

// Where in the hierarchy of memories something is: numbers, no addresses.
//
// A node is what gives room: the memory of one NUMA node, or the file of a tier. Nodes and tiers are numbered through,
// the fastest tier first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::data::engine {

enum class NodeId : std::int32_t { none = -1 };
enum class TierIndex : std::int32_t { none = -1 };  // none: the program's own memory

// A tier in one byte; empty at first.
class TierNumber {
 public:
  constexpr TierNumber() = default;
  constexpr explicit TierNumber(TierIndex tier) noexcept : number_(static_cast<std::int8_t>(tier)) {}
  constexpr bool is_set() const noexcept { return number_ >= 0; }
  constexpr TierIndex tier() const noexcept { return TierIndex{number_}; }

 private:
  std::int8_t number_ = -1;
};

constexpr std::size_t index_of(NodeId node) noexcept { return static_cast<std::size_t>(node); }
constexpr std::size_t index_of(TierIndex tier) noexcept { return static_cast<std::size_t>(tier); }

// A byte of a node's memory, or of the program's own (node none), where the offset means nothing to the engine.
struct Place {
  NodeId node = NodeId::none;
  std::uint64_t offset = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace weir::data::engine
