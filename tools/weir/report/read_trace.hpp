// SPDX-License-Identifier: Apache-2.0

// Reads the file that a runtime with the option `trace` has written.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace.hpp"
#include "trace/reader.hpp"

namespace weir::tool::report {

// One entry per runtime. bad_input when it is no trace of Weir, or a damaged one; not_found, io_error.
base::Result<std::vector<Trace>> read_traces(const std::string& path);
// One of a file that is open.
base::Result<Trace> read_trace(const weir::trace::TraceReader& reader, const weir::trace::RuntimeInfo& runtime);
// All of them.
base::Result<std::vector<Trace>> read_traces(const weir::trace::TraceReader& reader);

// Opens the file of a trace; where it is missing and a part of it is there, the message names that.
base::Result<weir::trace::TraceReader> open_trace(const std::string& path);

}  // namespace weir::tool::report
