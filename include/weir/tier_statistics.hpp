// SPDX-License-Identifier: Apache-2.0

// What the tiers of a runtime hold, and what moving blocks between them has cost so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/detail/containers.hpp"

namespace weir {

// One memory node, or the file, of one tier.
struct TierReport {
  std::string tier;             // "hbm", "ddr", "memory", "file", "emulated"
  std::string node;             // "hbm0"; the file's name
  std::uint64_t asked = 0;      // bytes; 0: not said, all that is free less a reserve
  std::uint64_t budget = 0;     // bytes
  std::uint64_t used = 0;       // bytes now
  std::uint64_t peak = 0;       // bytes at most
  double obtained_share = 1;    // of its pages that are where they were asked for, as the kernel says; -1: unknown
  double large_page_share = 0;  // of its memory that is in large pages
  std::uint64_t warnings = 0;   // what could not be had and was taken elsewhere
  bool emulated = false;        // slowed down on purpose: no time measured with it is that of a machine
};

// Since the runtime was made. Exact when no task is running.
struct WEIR_HAS_CONTAINERS TierStatistics {
  std::uint64_t bytes_fetched = 0;       // into the fast tier
  std::uint64_t bytes_written_back = 0;  // out of it
  // Uses of blocks by tasks, by whether the block was in its place or on its way there when the task was admitted.
  std::uint64_t hits = 0, misses = 0;
  std::uint64_t prefetches = 0;     // blocks that were fetched for tasks that were not admitted yet
  std::uint64_t evictions = 0;      // blocks that left the fast tier
  std::uint64_t in_place_runs = 0;  // tasks without room, which ran in slow memory or in a file's pages
  std::uint64_t failures = 0;       // transfers and tasks that failed for want of room or by an I/O error
  double wait_seconds = 0;          // of workers that had nothing to run while a ready task waited for blocks
  std::vector<std::string> warnings;
  std::vector<TierReport> tiers;  // fastest first; empty while the runtime has had no block
};

}  // namespace weir
