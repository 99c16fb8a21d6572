// SPDX-License-Identifier: Apache-2.0

// What `weir trace` and the option --trace of other verbs make of a trace: JSON or OTF2, by the name.
#pragma once

#include <string>

#include "converted_trace.hpp"
#include "trace/reader.hpp"

namespace weir::tool {

const TraceConverter& trace_converter();

// bad_option for a name that is of neither format.
base::Status check_converted(const std::string& to);
// In place of what was there. io_error; bad_input when the trace is damaged meanwhile.
base::Status write_converted(const trace::TraceReader& reader, const std::string& to);

}  // namespace weir::tool
