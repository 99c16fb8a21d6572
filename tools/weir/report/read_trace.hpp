// SPDX-License-Identifier: Apache-2.0

// Reads the file that a runtime with the option `trace` has written.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace.hpp"

namespace weir::tool::report {

// One entry per runtime. bad_input when it is no JSON, or no trace of Weir; the message names `name`.
base::Result<std::vector<Trace>> read_traces(std::istream& input, const std::string& name);
// The same from a file; not_found when it cannot be read.
base::Result<std::vector<Trace>> read_traces(const std::string& path);

}  // namespace weir::tool::report
