// SPDX-License-Identifier: Apache-2.0

#include "show_job_report.hpp"

#include <utility>

#include "job/job_page.hpp"
#include "job/job_report.hpp"
#include "job/show_job.hpp"
#include "json.hpp"
#include "verb.hpp"

namespace weir::tool {

int show_job_report(const JobReportRequest& request, ReportPage& page, Global& global) {
  global.progress("reading the traces of the PEs");
  auto files = job::open_job(request.files);
  if (!files) return fail_to_read(files.status());
  const auto report = job::report_job(*files);
  global.progress("");
  if (!report) return fail_to_read(report.status());
  if (!request.key.empty()) files->name = request.title;
  job::print(*files, *report, global);
  Json object = job::to_json(*files, *report);
  global.add(request.key.empty() ? std::move(object) : Json{{request.key, std::move(object)}});
  if (!page.wanted()) return kDone;
  const auto text = job::page(*files, *report, request.title);
  if (!text) return fail_to_read(text.status());
  if (base::Status status = page.write(*text, global); !status) return fail(status);
  return kDone;
}

}  // namespace weir::tool
