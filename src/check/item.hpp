// SPDX-License-Identifier: Apache-2.0

// Item: what a footprint lets a task do with which bytes, in the words of the checker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "check/hash.hpp"
#include "weir/footprint.hpp"

namespace weir::check {

inline constexpr std::uintptr_t kPageBytes = 4096;

// Runs with strides: counts[0] x counts[1] runs of run_bytes; the second count is the inner one, as in
// detail::BlockLayout.
struct Extent {
  std::uintptr_t base = 0;
  std::size_t run_bytes = 0;
  std::size_t counts[2] = {1, 1};
  std::size_t strides[2] = {0, 0};

  friend bool operator==(const Extent&, const Extent&) = default;
  std::size_t hash() const noexcept { return hash_of(base, run_bytes, counts[0], counts[1], strides[0], strides[1]); }
  bool empty() const noexcept { return run_bytes == 0 || counts[0] == 0 || counts[1] == 0; }
  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1]; }
  std::uintptr_t end() const noexcept {
    return base + (counts[0] - 1) * strides[0] + (counts[1] - 1) * strides[1] + run_bytes;
  }
};

// How accesses of tasks that are not ordered may still go together. The last three lock each other out, but one writer
// does not another.
enum class Sharing : std::uint8_t { none, concurrent, commutative, writer, exclusive, constant };

struct Item {
  Extent extent;
  Mode mode = Mode::inout;
  std::uint8_t ocr_mode = 0;
  bool reads = false, writes = false;
  bool out = false;  // what it reads it must have written
  bool touched = false;
  std::uint32_t index = 0;  // in the footprint as it was spawned

  bool released = false;  // an EDT has given it up
  Sharing sharing = Sharing::none;
};

}  // namespace weir::check
