// SPDX-License-Identifier: Apache-2.0

#include "transport/atomic.hpp"

#include <atomic>

#include "base/check.hpp"

namespace weir::transport {
namespace {

template <class Word>
std::uint64_t apply(std::byte* at, AtomicOp op, Word operand, Word expected) noexcept {
  const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
  switch (op) {
    case AtomicOp::set: word.store(operand); return 0;
    case AtomicOp::add: word.fetch_add(operand); return 0;
    case AtomicOp::bit_and: word.fetch_and(operand); return 0;
    case AtomicOp::bit_or: word.fetch_or(operand); return 0;
    case AtomicOp::bit_xor: word.fetch_xor(operand); return 0;
    case AtomicOp::swap: return word.exchange(operand);
    case AtomicOp::compare_swap: word.compare_exchange_strong(expected, operand); return expected;
    case AtomicOp::fetch: return word.load();
    case AtomicOp::fetch_add: return word.fetch_add(operand);
    case AtomicOp::fetch_and: return word.fetch_and(operand);
    case AtomicOp::fetch_or: return word.fetch_or(operand);
    case AtomicOp::fetch_xor: return word.fetch_xor(operand);
  }
  WEIR_CHECK(false, "an atomic operation that there is not");
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(std::byte* at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                           std::uint64_t expected) noexcept {
  WEIR_CHECK(reinterpret_cast<std::uintptr_t>(at) % bytes_of(width) == 0,
             "an atomic operation on a word that is not at a multiple of its size");
  if (width == AtomicWidth::bits64) return apply<std::uint64_t>(at, op, operand, expected);
  return apply<std::uint32_t>(at, op, static_cast<std::uint32_t>(operand), static_cast<std::uint32_t>(expected));
}

}  // namespace weir::transport
