// SPDX-License-Identifier: Apache-2.0

// The report of a job as text for people, and as JSON for scripts.
#pragma once

#include "global.hpp"
#include "job_report.hpp"

namespace weir::tool::job {

void print(const JobFiles& job, const JobReport& report, Global& global);
Json to_json(const JobFiles& job, const JobReport& report);

}  // namespace weir::tool::job
