// SPDX-License-Identifier: Apache-2.0

// What the traces of a job's ranks say together: where the time of each rank went, how many bytes went from rank to
// rank, who waited for whose data, and how the critical path goes across ranks. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rank_trace.hpp"
#include "report/analysis.hpp"

namespace weir::tool::job {

struct RankTimes {
  int rank = 0;
  std::string host;
  int workers = 0;
  report::TimeParts parts;  // of all its workers; tasks: all that ran in its process
  double path_ns = 0;       // of the critical path, in its tasks
};

struct RankTraffic {
  std::uint64_t messages = 0, bytes = 0;
};

// Tasks of one name that have waited for what tasks of one name on another rank had made.
struct RankWait {
  int rank = 0, whose = 0;  // who waited, for what that rank has sent
  std::string what;         // the array, or what kind of message it is
  std::string reader, maker;
  std::uint64_t times = 0;
  double ns = 0;  // of all tasks that waited
  std::string longest;
  double longest_ns = 0;  // of one message: its tile
};

struct RankReport {
  int ranks = 0;
  report::Report all;  // of the joined trace
  std::vector<RankTimes> times;
  std::map<std::pair<int, int>, RankTraffic> traffic;                     // from, to
  std::map<std::pair<int, int>, std::pair<std::uint64_t, double>> waits;  // who, for whom: times, ns
  std::vector<RankWait> top;                                              // by names, longest first
  std::uint64_t before_sent = 0;                                          // messages that came before they were sent
  std::uint64_t one_ended = 0;       // of which one of two traces that are there knows nothing
  std::uint64_t path_crossings = 0;  // of the critical path, from rank to rank
};

RankReport report_ranks(const JobFiles& job, const RankTrace& trace);

}  // namespace weir::tool::job
