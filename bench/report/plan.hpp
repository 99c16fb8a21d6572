// SPDX-License-Identifier: Apache-2.0

// What `weir bench tasks` measures: benchmarks, runtimes, and how much of each.
//
// Pure, but for find_runners(), which looks for executables.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::bench {

struct Bench {
  std::string name;
  std::string title;  // what the number is, with its unit
  long count = 0;     // what runner_main.cpp calls COUNT
  long quick_count = 0;
  bool one_worker = false;  // measured once, not for each number of workers
};

// In the order of the table.
const std::vector<Bench>& benches();

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

// The name of a benchmark as a user may write it: "metg" stands for all patterns.
base::Result<std::vector<Bench>> chosen_benches(const std::string& list);

struct Runner {
  std::string runtime;
  std::string path;
};

// The runner executables that exist in `folder`; where `folder` is empty, beside this program, as built or as
// installed.
std::vector<Runner> find_runners(const std::string& folder);

// Those of `runners` that `list` names, in the order of runtime_names(). "all": every one there is. Fails with
// not_found when a named one is missing, or none is left.
base::Result<std::vector<Runner>> chosen_runners(const std::string& list, const std::vector<Runner>& runners);

}  // namespace weir::bench
