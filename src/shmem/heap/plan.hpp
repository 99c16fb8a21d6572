// SPDX-License-Identifier: Apache-2.0

// What heaps a user asks for by variables of the environment:
//
//   SHMEM_SYMMETRIC_SIZE=1.5G                                     the heap; SMA_SYMMETRIC_SIZE is the older name,
//     SHMEM_SYMMETRIC_HEAP_SIZE and XT_SYMMETRIC_HEAP_SIZE are those of other libraries
//   SHMEM_SYMMETRIC_PARTITION<N>=size=8G[:kind=hbm][:policy=preferred][:pgsize=..]
//
// N is 1 to 15; partition 1 is the heap of shmem_malloc. kind: hbm (or F, fast), ddr (or D), cxl, nvm, device, memory
// (of any kind). policy: mandatory (M), which is refused when it cannot be had, preferred (P), interleaved (I) over all
// nodes of the kind. The page size is a wish that the kernel's shared memory has no place for; it is checked to be a
// size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace weir::shmem {

enum class PlacePolicy : std::uint8_t { mandatory, preferred, interleaved };

struct PartitionPlan {
  int number = 1;
  std::optional<std::uint64_t> bytes;       // none: the default
  std::optional<machine::MemoryKind> kind;  // none: any
  PlacePolicy policy = PlacePolicy::mandatory;

  friend bool operator==(const PartitionPlan&, const PartitionPlan&) = default;
};

// Null: the variable is not set.
using Variable = std::function<const char*(const std::string& name)>;

// Partition 1 first. bad_option names the variable, its value and what is wrong with it. Pure but for the variables.
base::Result<std::vector<PartitionPlan>> plan_heaps(const Variable& variable);

// What the library has for itself before the heap; pages come when they are touched.
inline constexpr std::uint64_t kInternalBytes = std::uint64_t{32} << 20;

// How large the heap is when nobody says so: 1 GiB, or less when `limit` bytes are all that `pes` PEs of a host have,
// for kInternalBytes too; at least 4 MiB.
std::uint64_t default_heap_bytes(std::uint64_t limit, std::uint64_t pes);

}  // namespace weir::shmem
