// SPDX-License-Identifier: Apache-2.0

#include "show_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "file_names.hpp"
#include "json.hpp"
#include "print_error.hpp"
#include "report/analysis.hpp"
#include "report/page.hpp"
#include "report/read_trace.hpp"
#include "report/render.hpp"
#include "report/units.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

double work_of(const report::Trace& trace) {
  double sum = 0;
  for (const report::Task& task : trace.tasks) sum += static_cast<double>(task.end - task.start);
  return sum;
}

const report::Trace* choose(const std::vector<report::Trace>& traces, int runtime) {
  const auto wanted = std::find_if(traces.begin(), traces.end(), [&](const auto& t) { return t.runtime == runtime; });
  if (runtime != 0) return wanted == traces.end() ? nullptr : &*wanted;
  const auto most = std::max_element(traces.begin(), traces.end(),
                                     [](const auto& a, const auto& b) { return work_of(a) < work_of(b); });
  return most == traces.end() ? nullptr : &*most;
}

}  // namespace

int fail_to_read(const base::Status& status) {
  return status.code == base::Code::bad_input ? fail(status.message, kUsage) : fail(status);
}

void warn_of_early_end(const std::string& trace) {
  std::fflush(stdout);
  print_error(
      "{} {}: ends early: its program had not ended, was killed, or had no room to write more (or this is not all of "
      "the file)\n",
      terminal_style(STDERR_FILENO).warning("weir:"), trace);
}

base::Result<ReportPage> ReportPage::create(const std::string& path, const std::vector<std::string>& traces) {
  ReportPage page;
  if (path.empty()) return page;
  for (const std::string& trace : traces)
    if (base::Status status = check_differ({{"the trace", trace}, {"--html", path}}); !status) return status;
  if (base::Status status = report::page_available(); !status) return status;
  auto file = PendingFile::create(path);
  if (!file) return file.status();
  page.path_ = path;
  page.file_.emplace(std::move(*file));
  return page;
}

base::Status ReportPage::write(const std::string& text, Global& global) {
  std::ofstream out(file_->path(), std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return {base::Code::io_error, fmt::format("{}: cannot be written: {}", path_, std::strerror(errno))};
  if (base::Status status = file_->commit(); !status) return status;
  global.print("\npage {}: {}, opens in any browser\n", path_, report::measured_size(text.size()));
  return base::Status::success();
}

int show_report(const ReportRequest& request, ReportPage& page, Global& global) {
  global.progress("reading " + request.trace);
  const auto traces = report::read_traces(request.trace);
  global.progress("");
  if (!traces) return fail_to_read(traces.status());
  const report::Trace* const trace = choose(*traces, request.runtime);
  if (trace == nullptr) {
    return fail(fmt::format("--runtime {}: {} has {}", request.runtime, request.trace, traces->size()), kUsage);
  }
  const report::Report result = report::analyse(*trace);
  if (traces->size() > 1 && request.runtime == 0) {
    global.print("{} runtimes in {}; this is the one with most work{}\n", traces->size(), request.title,
                 request.key.empty() ? " (--runtime N: another)" : "");
  }
  if (trace->cut) warn_of_early_end(request.title);
  report::print(*trace, result, global);
  Json object = report::to_json(*trace, result);
  global.add(request.key.empty() ? std::move(object) : Json{{request.key, std::move(object)}});
  if (!page.wanted()) return kDone;
  const auto text = report::page(*trace, result, request.title);
  if (!text) return fail(text.status());
  if (base::Status status = page.write(*text, global); !status) return fail(status);
  return kDone;
}

}  // namespace weir::tool
