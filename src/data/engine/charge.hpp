// SPDX-License-Identifier: Apache-2.0

// What a block takes of a node: whole lines, from a page on whole pages, and small ones together by the slab.
#pragma once

#include "memory/space.hpp"

namespace weir::data::engine {

// What several blocks take together of a node that holds nothing else.
using ChargeSum = memory::Space::Sum;

inline constexpr std::size_t kPageBytes = memory::Space::kPage;
inline constexpr std::size_t kSlabBytes = memory::Space::kSlab;
constexpr std::size_t charge_of(std::size_t bytes) noexcept { return memory::Space::charged(bytes); }
// A free range of this size always takes the block.
constexpr std::size_t hole_for(std::size_t charge) noexcept { return charge < kPageBytes ? kSlabBytes : charge; }

}  // namespace weir::data::engine
