// SPDX-License-Identifier: Apache-2.0

// weir run -n N with --report or --trace t.json: runs a job of PEs or ranks, recorded, and makes of the traces what was
// asked for.
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

// `run` runs the job, which writes the traces that global.options.trace names: --trace t.weir, or files that go when
// the report and the JSON (global.trace_as) are made. Exit status: the job's, or that of what is made where the job's
// is 0.
int run_and_report_job(const JobReportAsked& asked, const std::function<int(Global&)>& run, Global& global);

}  // namespace weir::tool
