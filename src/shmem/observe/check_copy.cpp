// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/check_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "shmem/world/address.hpp"
#include "shmem/world/own_variables.hpp"

namespace weir::shmem {

std::size_t bytes_in_both(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto a_start = reinterpret_cast<std::uintptr_t>(a), b_start = reinterpret_cast<std::uintptr_t>(b);
  const std::uintptr_t start = std::max(a_start, b_start);
  const std::uintptr_t end = std::min(a_start + a_bytes, b_start + b_bytes);
  return start < end ? end - start : 0;
}

void check_copy_slow(const void* symmetric, const void* local, std::size_t bytes, int pe) {
  if (own_variables().meets(symmetric, bytes)) {
    fail(
        fmt::format("{} bytes at {} of PE {} go beyond the program's variables, into those of the library, which lie "
                    "behind them: is it a variable of the program's, and as large?",
                    bytes, symmetric, pe));
  }
  const std::byte* const there = try_mapped(symmetric, pe);
  if (there == nullptr || !is_symmetric(symmetric, bytes) || there == local) return;
  if (const std::size_t common = bytes_in_both(there, bytes, local, bytes); common != 0) {
    fail(
        fmt::format("dest and source overlap: {} of the {} bytes at {} of PE {} and at {} are the same memory. Bytes "
                    "are copied in any order: copy through another array",
                    common, bytes, symmetric, pe, local));
  }
}

namespace {

// Blocks in the order of their addresses.
class Rising {
 public:
  explicit Rising(const StridedBlocks& blocks) noexcept : blocks_(blocks) {}
  bool is_at_end() const noexcept { return at_ == blocks_.count; }
  void advance() noexcept { ++at_; }
  std::size_t number() const noexcept { return blocks_.step < 0 ? blocks_.count - 1 - at_ : at_; }
  std::uintptr_t start() const noexcept {
    return reinterpret_cast<std::uintptr_t>(blocks_.first) +
           static_cast<std::uintptr_t>(blocks_.step * static_cast<std::ptrdiff_t>(number()));
  }
  std::uintptr_t end() const noexcept { return start() + blocks_.bytes; }

 private:
  const StridedBlocks& blocks_;
  std::size_t at_ = 0;
};

}  // namespace

void check_blocks(const StridedBlocks& dest, const StridedBlocks& source, bool may_be_same) {
  Rising to(dest), from(source);
  while (!to.is_at_end() && !from.is_at_end()) {
    if (to.end() <= from.start()) {
      to.advance();
    } else if (from.end() <= to.start()) {
      from.advance();
    } else if (may_be_same && to.start() == from.start() && to.number() == from.number()) {
      to.advance();
      from.advance();
    } else {
      fail(fmt::format(
          "dest and source overlap: block {} of dest (at {:#x}) and block {} of source (at {:#x}) have {} of their "
          "{} bytes in common. Blocks are copied in any order: copy through another array",
          to.number(), to.start(), from.number(), from.start(),
          std::min(to.end(), from.end()) - std::max(to.start(), from.start()), dest.bytes));
    }
  }
}

}  // namespace weir::shmem
