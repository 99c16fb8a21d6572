// SPDX-License-Identifier: Apache-2.0

// Scrambles a number: checksums and reproducible choices of the task graphs.
#pragma once

#include <cstdint>

namespace weir::bench {

// One step of splitmix64 (Steele, Lea and Flood, 2014).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace weir::bench
