// SPDX-License-Identifier: Apache-2.0

// apply_atomic: one operation on one word by the processor's own atomics. What every backend runs at the owner's node.
//
// Any thread of any process that maps the word; sequentially consistent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weir::transport {

// The old value; 0 for operations that fetch nothing (set, add, bit_and, bit_or, bit_xor). `at` is a multiple of the
// width, which is checked.
std::uint64_t apply_atomic(std::byte* at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                           std::uint64_t expected) noexcept;

constexpr bool fetches(AtomicOp op) noexcept { return op >= AtomicOp::swap; }
constexpr std::size_t bytes_of(AtomicWidth width) noexcept { return width == AtomicWidth::bits32 ? 4 : 8; }

}  // namespace weir::transport
