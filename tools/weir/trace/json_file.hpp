// SPDX-License-Identifier: Apache-2.0

// A trace as one file of JSON, for Perfetto and chrome://tracing.
#pragma once

#include <string>

#include "names.hpp"

namespace weir::tool::convert {

// Into `path`, which exists or can be made. io_error; bad_input when the trace is damaged meanwhile.
base::Status write_json(const TraceReader& reader, const std::string& path);

}  // namespace weir::tool::convert
