// SPDX-License-Identifier: Apache-2.0

// What `weir report` and `weir run -n N --report` print, write and add to the JSON array of a job of PEs.
#pragma once

#include <string>
#include <vector>

#include "show_report.hpp"

namespace weir::tool {

struct JobReportRequest {
  std::vector<std::string> files;  // as job::open_job() takes them
  int start = 0;                   // the same
  std::string title;               // of the page
  std::string key;                 // in the JSON array: {key: report}; "": the report itself
};

// Exit status.
int show_job_report(const JobReportRequest& request, ReportPage& page, Global& global);

}  // namespace weir::tool
