// SPDX-License-Identifier: Apache-2.0

// Division: which rank has which part of the tables' indices, and which of them were never given to anything.
//
// The indices of the tables are cut in parts of one size, and each part has one home, a rank of the job. A run that
// goes on from a checkpoint with another number of ranks has another division: an object stays in its part and keeps
// its GUID. docs/decisions/0050-a-rank-adopts-the-parts-of-others.md. Values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir::ocr {

// Of an index, to its part.
inline constexpr int kPartShift = 16;
inline constexpr std::uint32_t kParts = std::uint32_t{1} << (32 - kPartShift);
// Each has one part at least.
inline constexpr std::uint32_t kMostRanks = kParts;

enum class TableOf : std::uint8_t { events, blocks, templates, edts, maps };
inline constexpr std::size_t kTables = 5;

// A run of indices of which none has been given from `next` on, in each table.
struct Stretch {
  std::array<std::uint64_t, kTables> next{};
  std::uint64_t end = 0;

  std::uint64_t& next_of(TableOf table) noexcept { return next[static_cast<std::size_t>(table)]; }
  std::uint64_t next_of(TableOf table) const noexcept { return next[static_cast<std::size_t>(table)]; }
  // The first part of which no table has given anything.
  std::uint64_t first_free_part() const noexcept;
  std::uint64_t free_parts() const noexcept;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

// Parts from `first` on, up to those of the next run, have that home.
struct HomeRun {
  std::uint32_t first = 0, home = 0;
  friend bool operator==(const HomeRun&, const HomeRun&) = default;
};

// All that there is.
struct Division {
  std::vector<HomeRun> homes;                   // the first begins at part 0
  std::vector<std::vector<Stretch>> stretches;  // of each rank
};
// What one rank knows of it.
struct Share {
  std::vector<HomeRun> homes;
  std::vector<Stretch> stretches;  // its own: it gives indices of the first one
};

// Of a program that begins.
Division divide(std::uint32_t ranks);
// Which rank has what that one had, in a run that goes on with so many.
constexpr std::uint32_t adopter_of(std::uint32_t past, std::uint32_t ranks) noexcept { return past % ranks; }
// Of a run that goes on with so many ranks. None: no rank has parts to give to those that come.
std::optional<Division> divide_again(const Division& past, std::uint32_t ranks);

}  // namespace weir::ocr
