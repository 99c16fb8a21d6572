// SPDX-License-Identifier: Apache-2.0

// The loops that read and write memory at full speed: STREAM's four, a sum, and a fill, for each kind of store; and a
// copy of bytes.
//
// One table per instruction set, chosen once by what this CPU has. Loops only; threads and timing are the caller's.
#pragma once

#include <array>
#include <cstddef>

namespace weir::platform {

// Elements that a loop takes at a time: counts must be multiples of it, and arrays aligned to so many doubles.
inline constexpr std::size_t kStreamBlock = 16;
inline constexpr std::size_t kStreamAlignment = kStreamBlock * sizeof(double);

// copy: c = a; scale: b = s*c; add: c = a+b; triad: a = b+s*c; each over `count` elements. fill: a = s.
using StreamLoop = void (*)(double* a, double* b, double* c, double s, std::size_t count);

struct StreamLoops {
  StreamLoop copy, scale, add, triad, fill;
};

struct StreamKernels {
  const char* instructions;  // "avx512", "avx2", "sse2", "neon", "plain"
  bool has_non_temporal;     // false: `non_temporal` has the same loops as `temporal`
  StreamLoops temporal;      // ordinary stores: the line is read before it is written
  StreamLoops non_temporal;  // stores that go around the caches
  double (*sum)(const double* a, std::size_t count);
  // memcpy for any alignment and size, with stores that go around the caches where there are any.
  void (*copy_bytes)(std::byte* to, const std::byte* from, std::size_t bytes);
};

// Those of this build, best first, and then null pointers. `runs`: this CPU has the instructions.
struct StreamChoice {
  const StreamKernels* kernels = nullptr;
  bool runs = false;
};
inline constexpr std::size_t kMostStreamChoices = 3;
std::array<StreamChoice, kMostStreamChoices> stream_choices() noexcept;
// The first that this CPU runs.
const StreamKernels& stream_kernels() noexcept;

}  // namespace weir::platform
