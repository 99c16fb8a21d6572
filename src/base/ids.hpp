// SPDX-License-Identifier: Apache-2.0

// Identifiers as types: a domain is never passed where a memory node is meant.
#pragma once

#include <compare>
#include <cstdint>

namespace weir {

enum class DomainId : std::uint16_t {};      // index into machine::Machine::domains()
enum class MemoryNodeId : std::uint16_t {};  // index into machine::Machine::memory_nodes()
enum class Rank : std::uint32_t {};          // a process of a job, from 0 on

struct Bytes {
  std::uint64_t count = 0;
  friend auto operator<=>(Bytes, Bytes) = default;
};

}  // namespace weir
