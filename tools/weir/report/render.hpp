// SPDX-License-Identifier: Apache-2.0

// A report as text for people, and as JSON for scripts.
#pragma once

#include "analysis.hpp"
#include "global.hpp"

namespace weir::tool::report {

void print(const Trace& trace, const Report& report, Global& global);
// What lies below its first line; `each_worker`: with a row for each.
void print_parts(const Trace& trace, const Report& report, bool each_worker, Global& global);
Json to_json(const Trace& trace, const Report& report);

}  // namespace weir::tool::report
