// SPDX-License-Identifier: Apache-2.0

#include "run_report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "file_names.hpp"
#include "recording.hpp"
#include "show_report.hpp"
#include "temporary_folder.hpp"

namespace weir::tool {

namespace {

namespace fs = std::filesystem;

base::Status check_names(const ReportAsked& asked, const Global& global) {
  if (base::Status status = check_differ({{"--trace", global.trace_as}, {"--html", asked.html}}); !status)
    return status;
  return check_report_of(asked, global.options.trace);
}

int run_and_report(const ReportAsked& asked, const std::function<std::string()>& title, const Run& run,
                   Global& global) {
  if (!asked.is_asked_for()) return run(global);
  if (const base::Status status = check_names(asked, global); !status) return fail(status);
  auto page = ReportPage::create(asked.html, {});
  if (!page) return fail(page.status());
  std::optional<TemporaryFolder> folder;  // of a trace that is needed only for its report
  if (global.options.trace.empty()) {
    auto made = TemporaryFolder::create("weir-report-", "--report");
    if (!made) return fail(made.status());
    folder.emplace(std::move(*made));
    global.options.trace = folder->name() + "/run.weir";
    global.keeps_traces = false;
  }
  const Recording recording(global.options.trace);
  const int status = run(global);
  const std::string recorded = recording.path();
  if (recorded.empty()) {
    return status != kDone ? status : fail("--report: nothing that was run made a runtime of Weir (--variants)");
  }
  global.print("\n");
  int reported = show_report({recorded, title(), 0, "report"}, *page, global);
  if (folder && !recording.path_of_copy(2).empty())
    fail(
        "--report: is of one copy of Weir, and another one in the program has recorded, too: give --trace FILE, and "
        "both are kept");
  if (folder && status == kDone && !recording.part().empty()) reported = fail_without_room("--report", *folder);
  return status != kDone ? status : reported;
}

}  // namespace

int fail_without_room(const char* option, const TemporaryFolder& folder) {
  return fail(
      fmt::format("{}: made of a trace that is not whole: {} had no room for more (let TMPDIR name another folder, or "
                  "give --trace FILE.weir), or the program has ended by _exit() while a runtime lived",
                  option, fs::path(folder.name()).parent_path().string()));
}

base::Status check_report_of(const ReportAsked& asked, const std::string& trace) {
  if (base::Status status = check_differ({{"the trace", trace}, {"--html", asked.html}}); !status) return status;
  std::error_code error;
  if (trace.empty() || !asked.is_asked_for() || !fs::is_other(trace, error)) return base::Status::success();
  return {base::Code::bad_option,
          fmt::format("{}: the trace {} is no ordinary file, so that it cannot be read when the program has ended; "
                      "leave out --trace, or name a file",
                      asked.report ? "--report" : "--html", trace)};
}

std::shared_ptr<const ReportAsked> add_report_options(CLI::App& verb, Global& global,
                                                      std::function<std::string()> title) {
  auto asked = std::make_shared<ReportAsked>();
  add_flag(verb, "--report", asked->report,
           "at the end, say where the time went, as weir report does; with several runs, of the last one that was "
           "traced");
  add_option(verb, "--html", asked->html, "the same, and write it as a page, as weir report --html does")
      .type_name("FILE");
  Entry& entry = global.entries.at(&verb);
  entry.run = [asked, title = std::move(title), run = entry.run](Global& g) {
    return run_and_report(*asked, title, run, g);
  };
  return asked;
}

}  // namespace weir::tool
