// SPDX-License-Identifier: Apache-2.0

// Runs the libraries' programs, interleaved, and gathers a row for each (benchmark, size, number of ranks).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/report/progress.hpp"
#include "bench/shmem/place.hpp"
#include "bench/shmem/plan.hpp"

namespace weir::bench {

struct ShmemPlan {
  std::vector<ShmemBench> benches;
  std::vector<Library> libraries;  // those that are missing among them
  std::vector<int> ranks;
  ShmemAmount amount;

  // Processes in all.
  std::size_t run_count() const;
};

struct ShmemRow {
  ShmemBench bench;
  std::size_t bytes = 0;
  int ranks = 2;
  std::string unit;
  std::vector<std::vector<double>> samples;  // of each library of the plan, one of each process
  std::vector<std::vector<Lines>> lines;     // where each of them was measured

  std::optional<double> median(std::size_t library) const;
  bool more_is_better() const { return unit != "us"; }
};

// What went wrong in a library's process.
struct ShmemTrouble {
  std::size_t library = 0;
  int ranks = 0;
  bool after_all = false;  // after the last measurement: the library could not end
  std::string text;
};

struct ShmemReport {
  std::vector<ShmemRow> rows;          // by ranks, then in the order of the benchmarks, then by size
  std::vector<ShmemTrouble> troubles;  // the first of each library and number of ranks
};

// What one process has printed and how it ended, into the report. bad_input when it is not what bench.h prints.
base::Status add_shmem_output(ShmemReport& report, const ShmemPlan& plan, std::size_t library, int ranks,
                              const std::string& output, bool& done);

// The kinds of places of the whole run.
Places places_of(const ShmemReport& report);

// What Weir takes over the best of the others, of processes that measured in places of one kind.
struct AtPlace {
  Place place = Place::unknown;
  double value = 0;
  std::size_t best = 0;             // which library that is
  std::size_t own = 0, others = 0;  // processes of Weir, and of that library
};

// The row's target for Weir, library 0 of the plan: what it reaches, and whether that is enough.
struct Reached {
  double value = 0;      // over the best of the others where it is worst, or over memcpy
  std::size_t best = 0;  // which one that is
  bool enough = true;
  std::vector<AtPlace>
      places;  // of times with two ranks; empty: nothing is known of places, all processes are compared
};
std::optional<Reached> reached(const ShmemReport& report, const ShmemRow& row);
// A collective with more than two ranks: for each rank, over what it takes with two.
std::optional<double> per_rank(const ShmemReport& report, const ShmemRow& row, std::size_t library);

// Measures everything. `progress` is called before each process. What fails is in the report.
ShmemReport measure_shmem(const ShmemPlan& plan, const OnProgress& progress);

}  // namespace weir::bench
