// SPDX-License-Identifier: Apache-2.0

#include "show_job_report.hpp"

#include <utility>

#include "job/job_page.hpp"
#include "job/job_report.hpp"
#include "job/rank_report.hpp"
#include "job/show_job.hpp"
#include "job/show_ranks.hpp"
#include "json.hpp"
#include "report/page.hpp"
#include "report/render.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

void add(const JobReportRequest& request, Json object, Global& global) {
  global.add(request.key.empty() ? std::move(object) : Json{{request.key, std::move(object)}});
}

int show_ranks(const JobReportRequest& request, const job::JobFiles& files, ReportPage& page, Global& global) {
  const auto trace = job::rank_trace(files);
  global.progress("");
  if (!trace) return fail_to_read(trace.status());
  const job::RankReport report = job::report_ranks(files, *trace);
  job::print(files, *trace, report, global);
  const Json ranks = job::ranks_json(files, report);
  Json object = report::to_json(trace->trace, report.all);
  object.update(ranks);
  add(request, std::move(object), global);
  if (!page.wanted()) return kDone;
  const auto text = report::page(trace->trace, report.all, request.title, ranks);
  if (!text) return fail(text.status());
  if (base::Status status = page.write(*text, global); !status) return fail(status);
  return kDone;
}

}  // namespace

int show_job_report(const JobReportRequest& request, ReportPage& page, Global& global) {
  global.progress("reading the traces of the job");
  auto files = job::open_job(request.files, request.start);
  if (!files) return fail_to_read(files.status());
  if (!request.key.empty()) files->name = request.title;
  if (files->is_of_ranks()) return show_ranks(request, *files, page, global);
  const auto report = job::report_job(*files);
  global.progress("");
  if (!report) return fail_to_read(report.status());
  job::print(*files, *report, global);
  add(request, job::to_json(*files, *report), global);
  if (!page.wanted()) return kDone;
  const auto text = job::page(*files, *report, request.title);
  if (!text) return fail_to_read(text.status());
  if (base::Status status = page.write(*text, global); !status) return fail(status);
  return kDone;
}

}  // namespace weir::tool
