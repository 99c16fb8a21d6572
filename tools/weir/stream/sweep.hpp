// SPDX-License-Identifier: Apache-2.0

// The runs of STREAM that make up a sweep, and what each gave. Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "machine/placement.hpp"
#include "machine/stream.hpp"

namespace weir::tool {

// What a sweep goes through; the rest stays as asked for.
struct SweepRequest {
  bool threads = false;  // one thread to all cores
  bool nodes = false;    // each memory node, from all domains together
  bool pairs = false;    // each domain with each memory node
  std::vector<machine::Placement> places = {machine::Placement::compact};
  std::vector<machine::Stores> stores = {machine::Stores::temporal, machine::Stores::non_temporal};
  std::vector<int> domains;  // empty: all
  std::string memory;        // "": each thread's own
  int thread_count = 0;      // where threads are not swept; 0: one per core
};

// One run.
struct SweepPoint {
  machine::Placement place = machine::Placement::compact;
  std::vector<int> domains;
  std::string memory;
  machine::Stores stores = machine::Stores::temporal;
  int threads = 1;

  friend bool operator==(const SweepPoint&, const SweepPoint&) = default;
};

// What one loop of a run gave.
struct SweepRow {
  SweepPoint point;
  machine::StreamRow stream;
  std::uint64_t array_bytes = 0;
  std::string instructions, pages, machine;
  bool verified = false;
};

// The numbers of threads to measure, from 1 to `most`: each of them up to 16, and then about eight for each doubling.
std::vector<int> thread_counts(int most);

// In the order of measuring, that of the table: where the memory is, how threads are placed, stores, threads. Memory
// nodes that this process may not use are left out.
std::vector<SweepPoint> points_of(const machine::Machine& machine, const SweepRequest& request);

// "domain 0, hbm0": where a point measures.
std::string where_text(const SweepPoint& point);

}  // namespace weir::tool
