// SPDX-License-Identifier: Apache-2.0

// weir run -n N --report: runs a job of PEs, recorded, and reports on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run_report.hpp"

namespace weir::tool {

struct JobReportAsked {
  const ReportAsked& report;
  std::string title;
  std::uint32_t ranks = 0;
};

// `run` runs the job, which writes the traces that global.options.trace names: --trace, or files that go with the
// report. Exit status: the job's, or that of the report where the job's is 0.
int run_and_report_job(const JobReportAsked& asked, const std::function<int(Global&)>& run, Global& global);

}  // namespace weir::tool
