// SPDX-License-Identifier: Apache-2.0

// Build: what a rank runs, as it was built. Ranks tell one another functions of EDTs by where these lie in the program,
// and objects as they lie in memory, so all have to run the same. Values; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weir::ocr {

// It goes between ranks before anything else does. Size and fields are the same in all versions of the library, so that
// ranks with different ones can compare it.
struct Build {
  char program[44] = {};  // the name of its file, cut off where it is longer, as all here
  char program_build[40] = {};
  char library_build[40] = {};  // of the file with this library; empty: the program
  std::uint32_t guid_bits = 0;

  // Not the program's name, which a copy may have changed.
  bool is_like(const Build& other) const noexcept;
};
static_assert(sizeof(Build) == 128);

Build build_of_this_rank();
// What the first rank that runs something else runs, and what rank 0 does, and what to do about it; empty: there is no
// such rank. `all`: of each rank.
std::string difference_between(std::span<const Build> all);

}  // namespace weir::ocr
