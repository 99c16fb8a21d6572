// SPDX-License-Identifier: Apache-2.0

// A traced run: what the simulator reads, and what the report says of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "global.hpp"
#include "sim/program.hpp"
#include "trace/reader.hpp"

namespace weir::tool {

struct TracedRun {
  sim::Program program;
  std::vector<std::string> findings;
};

// bad_input: the file is no trace, or the name is that of a job, which has a file for each process. not_found,
// io_error.
base::Result<trace::TraceReader> open_trace_of_process(const std::string& path);

// The one with most events. bad_input: none has run in it. `path` is for the message.
base::Result<const trace::RuntimeInfo*> busiest_runtime(const trace::TraceReader& reader, const std::string& path);

// Of that runtime. bad_input: the file is no trace, or one of no runtime. Shows what it does in the line of progress.
base::Result<TracedRun> read_run(const std::string& path, Global& global);

}  // namespace weir::tool
