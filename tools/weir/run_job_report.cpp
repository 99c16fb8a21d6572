// SPDX-License-Identifier: Apache-2.0

#include "run_job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "recording.hpp"
#include "show_job_report.hpp"
#include "trace/job_process.hpp"

namespace weir::tool {

namespace {

namespace fs = std::filesystem;

// For traces that are needed only for their report; it goes when this does. A signal that a user sends ends the job
// first, and then the launcher returns.
class TemporaryFolder {
 public:
  static base::Result<TemporaryFolder> create() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) return base::Status{base::Code::io_error, "--report: no folder for temporary files: " + error.message()};
    std::string name = (folder / "weir-report-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      return base::Status{base::Code::io_error, fmt::format("--report: {}: no folder for traces can be made in it: {}",
                                                            folder.string(), std::strerror(errno))};
    return TemporaryFolder(std::move(name));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : name_(std::exchange(other.name_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!name_.empty()) fs::remove_all(name_, ignored);
  }
  const std::string& name() const noexcept { return name_; }

 private:
  explicit TemporaryFolder(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// Files of an earlier run under the same name are not this one's.
bool any_recorded(const std::vector<Recording>& recordings) {
  return std::any_of(recordings.begin(), recordings.end(), [](const Recording& r) { return !r.path().empty(); });
}

}  // namespace

int run_and_report_job(const JobReportAsked& asked, const std::function<int(Global&)>& run, Global& global) {
  auto page = ReportPage::create(asked.report.html);
  if (!page) return fail(page.status());
  std::optional<TemporaryFolder> folder;
  if (global.options.trace.empty()) {
    auto made = TemporaryFolder::create();
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
    return fail(fmt::format(
        "--report: {} has made no PE of this version of Weir's OpenSHMEM, and no runtime in any rank: there is "
        "nothing to report",
        asked.title));
  }
  global.print("\n");
  const int reported = show_job_report({{global.options.trace}, asked.title, "report"}, *page, global);
  return status != kDone ? status : reported;
}

}  // namespace weir::tool
