// SPDX-License-Identifier: Apache-2.0

// Advice in words with numbers: what a person would conclude from the report. Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis.hpp"

namespace weir::tool::report {

// Most important first; at least one line.
std::vector<std::string> advise(const Trace& trace, const Report& report);

}  // namespace weir::tool::report
