// SPDX-License-Identifier: Apache-2.0

// The report of a job's ranks as text for people, and as JSON for scripts and the page.
#pragma once

#include "global.hpp"
#include "rank_report.hpp"

namespace weir::tool::job {

void print(const JobFiles& job, const RankTrace& trace, const RankReport& report, Global& global);
// What the report has besides that of one process.
Json ranks_json(const JobFiles& job, const RankReport& report);

}  // namespace weir::tool::job
