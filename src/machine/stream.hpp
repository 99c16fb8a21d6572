// SPDX-License-Identifier: Apache-2.0

// STREAM (McCalpin 1995) as a function: the memory bandwidth that every other number is read against.
//
// Three arrays, one slice per thread, each first touched by its thread; copy, scale, add and triad in turns, timed
// together from a barrier to a barrier; bytes are counted as STREAM does (16 per element for copy and scale, 24 for
// add and triad: the read of a line before an ordinary store is not counted). Results are verified.
// Makes threads of its own and blocks; the calling thread only waits. Any thread, but one run at a time means
// something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "platform/pages.hpp"

namespace weir::machine {

enum class StreamLoop : unsigned char { copy, scale, add, triad };
const char* to_string(StreamLoop loop) noexcept;

enum class Stores : unsigned char { temporal, non_temporal };
const char* to_string(Stores stores) noexcept;  // "temporal", "non-temporal"

struct StreamSettings {
  std::vector<std::vector<int>> threads;  // one entry per thread: the CPUs that it is bound to; none: not bound
  std::optional<int> os_node;             // where the arrays are; none: where each thread touches its part
  Bytes array;                            // of each of the three; rounded up to whole slices
  int repetitions = 10;                   // at least 2; the first is not counted
  std::vector<StreamLoop> loops = {StreamLoop::copy, StreamLoop::scale, StreamLoop::add, StreamLoop::triad};
  Stores stores = Stores::temporal;
  platform::PageSize pages = platform::PageSize::large;
};

struct StreamRow {
  StreamLoop loop{};
  double best_gb_per_s = 0, median_gb_per_s = 0;                    // 10^9 bytes per second
  double best_seconds = 0, average_seconds = 0, worst_seconds = 0;  // per pass
};

struct StreamReport {
  std::vector<StreamRow> rows;  // in the order of settings.loops
  Bytes array;                  // as used
  std::string instructions;     // of the loops, e.g. "avx512"
  double on_node = 1;           // part of the pages found on settings.os_node, 0.99 or more; 1 when none was asked for
  double error = 0;             // largest relative difference from the expected contents, of the three arrays
  bool verified = false;        // error is rounding only
};

// 4 times all last-level caches of the machine, and 80 MB at least: the size of one array that STREAM's rules ask for.
Bytes stream_array_size(const Machine& machine);

// The CPUs to bind `count` threads to, as the scheduler places its workers: a core each, domain by domain; more
// threads than cores share cores. `domains` empty: all. count 0: a thread per core of them.
std::vector<std::vector<int>> stream_threads(const Machine& machine, const std::vector<DomainId>& domains, int count);

// Fails with no_space when the arrays do not fit in available memory, or not on the node; with what Pages and binding
// fail with; and with bad_option for fewer than 2 repetitions, no thread or no bytes.
base::Result<StreamReport> run_stream(const StreamSettings& settings);

}  // namespace weir::machine
