// SPDX-License-Identifier: Apache-2.0

#include "run_job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "file_names.hpp"
#include "job/job_json.hpp"
#include "recording.hpp"
#include "show_job_report.hpp"
#include "temporary_folder.hpp"
#include "trace/job_process.hpp"

namespace weir::tool {

namespace {

// Files of an earlier run under the same name are not this one's.
bool any_recorded(const std::vector<Recording>& recordings) {
  return std::any_of(recordings.begin(), recordings.end(), [](const Recording& r) { return !r.path().empty(); });
}

// As one file for Perfetto. The folder of the traces stays when it cannot be written.
int convert(const std::string& traces, const std::string& to, TemporaryFolder& folder, Global& global) {
  global.progress("reading the traces of the job");
  const auto starts = job::open_starts({traces});
  global.progress("");
  if (!starts) return fail_to_read(starts.status());
  for (const job::JobFiles& files : *starts)
    for (const std::string& remark : files.remarks) fail(remark);
  base::Status status = job::write_job_json(*starts, to);
  if (status) return kDone;
  status.message += fmt::format("; {} has the traces, for weir trace --to", traces);
  folder.keep();
  return fail_to_read(status);
}

// Files of ranks that are to be kept, and the JSON of them.
base::Status check_names(const JobReportAsked& asked, const Global& global) {
  if (base::Status status = check_differ({{"--trace", global.trace_as}, {"--html", asked.report.html}}); !status)
    return status;
  if (global.options.trace.empty() || !global.trace_as.empty()) return base::Status::success();
  for (std::uint32_t rank = 0; rank < asked.ranks; ++rank) {
    const std::string trace = trace::file_of_rank(global.options.trace, rank);
    if (base::Status status = check_report_of(asked.report, trace); !status) return status;
  }
  return base::Status::success();
}

int show(const JobReportAsked& asked, ReportPage& page, std::optional<TemporaryFolder>& folder, Global& global) {
  if (!global.trace_as.empty()) {
    const int status = convert(global.options.trace, global.trace_as, *folder, global);
    if (status != kDone || !asked.report.is_asked_for()) return status;
  }
  global.print("\n");
  return show_job_report({{global.options.trace}, 0, asked.title, "report"}, page, global);
}

}  // namespace

int run_and_report_job(const JobReportAsked& asked, const std::function<int(Global&)>& run, Global& global) {
  if (const base::Status status = check_names(asked, global); !status) return fail(status);
  auto page = ReportPage::create(asked.report.html, {});
  if (!page) return fail(page.status());
  std::optional<TemporaryFolder> folder;
  if (global.options.trace.empty() || !global.trace_as.empty()) {
    auto made = TemporaryFolder::create("weir-report-", global.trace_as.empty() ? "--report" : "--trace");
    if (!made) return fail(made.status());
    folder.emplace(std::move(*made));
    global.options.trace = folder->name() + "/pes.weir";
    global.keeps_traces = false;
  }
  std::vector<Recording> recordings;
  for (std::uint32_t rank = 0; rank < asked.ranks; ++rank)
    recordings.emplace_back(trace::file_of_rank(global.options.trace, rank));
  const int status = run(global);
  if (!any_recorded(recordings)) {
    if (status != kDone) return status;
    return fail(
        fmt::format("{}: {} has made no PE of this version of Weir's OpenSHMEM, and no runtime in any rank: there is "
                    "nothing to report",
                    asked.report.is_asked_for() ? "--report" : "--trace", asked.title));
  }
  int shown = show(asked, *page, folder, global);
  const bool any_part =
      std::any_of(recordings.begin(), recordings.end(), [](const Recording& r) { return !r.part().empty(); });
  if (folder && !folder->name().empty() && status == kDone && any_part)
    shown = fail_without_room(asked.report.is_asked_for() ? "--report" : "--trace", *folder);
  return status != kDone ? status : shown;
}

}  // namespace weir::tool
