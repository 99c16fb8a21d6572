// SPDX-License-Identifier: Apache-2.0

// The report of a job as one page that needs nothing else: pictures of who moved bytes where and who waited for whom,
// where the time of each PE went, and a timeline of all calls.
#pragma once

#include <string>

#include "job_report.hpp"

namespace weir::tool::job {

// The page as text. bad_input, io_error; unsupported where report::page_available() fails.
base::Result<std::string> page(const JobFiles& job, const JobReport& report, const std::string& title);

}  // namespace weir::tool::job
