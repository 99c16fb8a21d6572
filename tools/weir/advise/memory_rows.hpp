// SPDX-License-Identifier: Apache-2.0

// What `weir run --memory` gives a program of which there is no trace, by the cost model. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace weir::tool::advise {

// A mode of `weir run --memory`, and what it gives a program that goes through all of its memory.
struct MemoryRow {
  std::string mode;              // "": as the kernel does it
  std::uint64_t fast_bytes = 0;  // of its memory, in the fast kind
  double seconds = 0;            // to read all of it once
  double gb_per_s = 0;
  int threads = 1;  // that read it
};
// `bytes` in memory, read by so many threads on as many cores, spread over the domains.
std::vector<MemoryRow> memory_rows(const machine::Machine& machine, std::uint64_t bytes, int threads);
// How many threads a program has on another machine that had so many here: one for each core, where it had about one
// for each CPU, as OpenMP starts them; else as many as it had.
int threads_there(int had, int cpus_here, int cores_there);
// The index of the row that is advised: the best; of those as good, the one that changes least.
std::size_t best_row(const std::vector<MemoryRow>& rows);

}  // namespace weir::tool::advise
