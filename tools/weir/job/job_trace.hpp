// SPDX-License-Identifier: Apache-2.0

// The calls of a job's PEs as the trace of one run, for the timeline of a page: a row for each thread of a PE that
// called, a task for each call, numbered in the order of their starts, from 1.
#pragma once

#include <cstdint>
#include <vector>

#include "job_files.hpp"
#include "report/trace.hpp"

namespace weir::tool::job {

// A call that waited, and the one that it waited for: the put or atomic that ended a wait_until, the call of who came
// last to a collective. By their numbers.
struct CallEnd {
  std::uint32_t call = 0, by = 0;
};

struct JobTrace {
  report::Trace trace;
  std::vector<std::uint32_t> peers;  // by number: 1 + the other PE of a put, get or atomic; 0: none
  std::vector<CallEnd> ends;         // in the order of `call`
};

// bad_input, io_error. About 100 bytes a call.
base::Result<JobTrace> job_trace(const JobFiles& job);

}  // namespace weir::tool::job
