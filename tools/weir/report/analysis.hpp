// SPDX-License-Identifier: Apache-2.0

// What a report says of one runtime: times, bounds, what cost most, and advice. Pure: from a Trace to numbers and text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "critical_path.hpp"
#include "time_parts.hpp"
#include "trace.hpp"

namespace weir::tool::report {

// As a name in what the critical path consists of.
inline constexpr const char* kOutsideOfTasks = "(outside of tasks)";
inline constexpr const char* kElsewhere = "(begun elsewhere)";

// Of all tasks of one name.
struct NameCost {
  std::string name;
  std::uint64_t tasks = 0;
  double ns = 0;            // of their own code
  double path_ns = 0;       // of that, on the critical path
  std::uint64_t bytes = 0;  // of their footprints
};

// Of all blocks of one name: an array's tiles share theirs.
struct BlockCost {
  std::string name;
  std::uint64_t blocks = 0;  // that moved
  std::uint64_t bytes = 0;   // their size
  std::uint64_t moved = 0;   // bytes, both ways
  std::uint64_t moves = 0;
};

struct LinkUse {
  std::string from, to;
  std::uint64_t bytes = 0, moves = 0;
  double busy_ns = 0;         // while at least one move was under way
  double best_gb_per_s = 0;   // in the busiest tenth of the run
  double known_gb_per_s = 0;  // measured: the lower of reading there and writing here; 0: not known
  double gb_per_s() const { return busy_ns > 0 ? static_cast<double>(bytes) / busy_ns : 0; }
  bool is_known() const { return known_gb_per_s > 0; }
  // What it can carry: as measured, else as much as the run has seen of it, of a file for instance.
  double most_gb_per_s() const { return is_known() ? known_gb_per_s : std::max(best_gb_per_s, gb_per_s()); }
};

struct Report {
  double wall_ns = 0;
  std::vector<TimeParts> workers;
  TimeParts sum;            // of all workers
  std::uint64_t tasks = 0;  // that ran: on workers, and on threads of the library that serve other ranks
  double guests_ns = 0;     // for which they were there, all together
  CriticalPath path;
  std::vector<NameCost> path_names;  // what the critical path consists of, longest first
  double work_ns = 0;                // code of tasks and threads, and analysis
  double work_bound_ns = 0;          // work / workers, and guests for as long as they were there
  double bytes_bound_ns = 0;         // bytes / bandwidth over the busiest link; 0: not known
  double bound_ns() const;
  std::uint64_t tasks_of_no_worker() const { return tasks - std::min(tasks, sum.tasks); }
  std::vector<LinkUse> links;
  std::vector<NameCost> names;    // all, what cost most first
  std::vector<BlockCost> blocks;  // that moved, most bytes first
  std::vector<std::string> advice;
};

// Advice is for one process.
Report analyse(const Trace& trace);
TimeParts total(const std::vector<TimeParts>& workers);

}  // namespace weir::tool::report
