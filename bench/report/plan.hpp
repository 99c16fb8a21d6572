// SPDX-License-Identifier: Apache-2.0

// What `weir bench tasks` measures: benchmarks, runtimes, and how much of each.
//
// Pure, but for find_runners(), which looks for executables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::bench {

// How much is measured when nothing else is asked for.
enum class Extent : std::uint8_t {
  quick,  // a first look
  usual,
  full,
};

enum class Workers : std::uint8_t {
  one,       // measured once, with one worker
  few,       // 1 and 2
  too_many,  // as many as processors, twice and four times as many
};

struct Bench {
  std::string name;
  std::string title;  // what the number is, with its unit
  long count = 0;     // what runner_main.cpp calls COUNT
  long quick_count = 0;
  Workers workers = Workers::few;  // by default
  bool usual = true;               // else only measured when named, or in full
};

// In the order of the table.
const std::vector<Bench>& benches();

// METG of a pattern: the same word before every name; what stands behind the names of those with fresh memory.
inline constexpr std::string_view kMetgPrefix = "metg_", kFreshSuffix = "_fresh";

struct Amount {
  int rounds = 3;          // processes for each row
  int repeat = 3;          // runs in each process; the process counts with their median
  int width = 8;           // columns of the task graphs
  bool quick = false;      // the smaller counts
  double timeout_s = 120;  // of each process
};
Amount amount_of(Extent extent);

// The numbers of workers to measure a benchmark with. `asked`: empty for its default.
std::vector<int> workers_of(const Bench& bench, const std::vector<int>& asked, int processors);

// Runtimes that can be measured, Weir first.
const std::vector<std::string>& runtime_names();

// The words of a comma-separated list: always at least one; "a," has two, of which the second is empty.
std::vector<std::string> split_list(const std::string& list);

// The words of a comma-separated list, each one of `known`; "all" is all of them. bad_option names the wrong word,
// `what` it should have been, and the nearest one. No word twice.
base::Result<std::vector<std::string>> chosen(const std::string& list, const std::vector<std::string>& known,
                                              const std::string& what);

// Numbers of workers from a comma-separated list, each in 1 .. 1024.
base::Result<std::vector<int>> chosen_workers(const std::string& list);

// The benchmarks of a list as a user may write it: "metg" and "small" stand for all whose names begin so, "all" for
// all. "": those of `extent`.
base::Result<std::vector<Bench>> chosen_benches(const std::string& list, Extent extent = Extent::usual);

struct Runner {
  std::string runtime;
  std::string path;
  // Of one that is a job of several processes: how many, what starts them, and what its program is to be told first.
  int ranks = 1;
  std::vector<std::string> launcher = {}, form = {};
};

// The runner executables that exist in `folder`; where `folder` is empty, beside this program, as built or as
// installed.
std::vector<Runner> find_runners(const std::string& folder);

// Those of `runners` that `list` names, in the order of runtime_names(). "all": every one there is; "": those of
// `extent` that there are. Fails with not_found when a named one is missing, or none is left.
base::Result<std::vector<Runner>> chosen_runners(const std::string& list, const std::vector<Runner>& runners,
                                                 Extent extent = Extent::usual);

// A runner of the user's own, "NAME=PROGRAM": mostly weir-bench-weir of another build. bad_option when it is written
// otherwise, cannot be executed, or is named like a runtime.
base::Result<Runner> runner_beside(const std::string& text);

}  // namespace weir::bench
