// SPDX-License-Identifier: Apache-2.0

// How a run went over time, coarsely: a line of values for each thing that changes. Pure.
#pragma once

#include <string>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

struct Course {
  std::string name;
  std::vector<double> values;  // of each bin of time, 0 to 1
  std::string most;            // what 1 stands for: "4 workers", "2 and guests", "44.0 MiB"
};

// In `bins` equal parts of the runtime's life: the workers that ran tasks, and those that waited for data when some did
// (means, of all workers, and of guests while they are there); the most that each tier held, of its budget or, when it
// never came near, of the most there was; bytes per second over each link (means, of the highest).
std::vector<Course> over_time(const Trace& trace, std::size_t bins);

// One character for each value: from ' ' for 0 to '#' for 1.
std::string sparkline(const std::vector<double>& values);

}  // namespace weir::tool::report
