// SPDX-License-Identifier: Apache-2.0

// What one run of one variant of an application measured, in the process it ran in, and its way to the process that
// asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::apps {

struct Outcome {
  double seconds = 0;  // of the work; making the data and checking the result are not in it
  // Between the tiers while the work went on. Of variants that use no tiers: what the kernel counts as storage.
  std::uint64_t bytes_fetched = 0, bytes_written_back = 0;
  std::uint64_t hits = 0, misses = 0;  // of blocks, when tasks asked for them
  std::uint64_t in_place = 0;          // tasks that ran where their data was
  double wait_seconds = 0;             // of workers, for data, with nothing else to run; all workers added
  std::uint64_t peak_rss_bytes = 0;    // of the process, from its start to after the check
  std::uint64_t budget_bytes = 0;      // of the fast tier; 0: none was given
  bool emulated = false;               // the slow tier is ordinary memory made slow
  std::vector<std::uint64_t> result;   // what to compare: checksums, or one word a tile
  std::string wrong;                   // the first thing a check in the process found; empty: nothing

  std::uint64_t bytes_moved() const { return bytes_fetched + bytes_written_back; }
  // 0 to 1; 1 when nothing had to be asked for.
  double hit_rate() const;
};

std::string to_text(const Outcome& outcome);
// bad_input when it is no outcome.
base::Result<Outcome> outcome_of(const std::string& text);

// Fills in what the process knows of itself at its end.
void finish(Outcome& outcome);

}  // namespace weir::apps
