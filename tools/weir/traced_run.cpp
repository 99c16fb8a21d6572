// SPDX-License-Identifier: Apache-2.0

#include "traced_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "job/job_files.hpp"
#include "report/analysis.hpp"
#include "report/read_trace.hpp"
#include "sim/read_program.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;

std::vector<std::string> findings_of(const trace::TraceReader& reader, int runtime) {
  const auto traces = report::read_traces(reader);
  if (!traces) return {};
  for (const report::Trace& trace : *traces)
    if (trace.runtime == runtime) return report::analyse(trace).advice;
  return {};
}

}  // namespace

base::Result<trace::TraceReader> open_trace_of_process(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) || !job::is_job({path})) return report::open_trace(path);
  return Status{Code::bad_input,
                fmt::format("{}: has a file for each rank or PE of a job, and what is simulated is one process: give "
                            "the file of one rank, with its number before the ending",
                            path)};
}

base::Result<const trace::RuntimeInfo*> busiest_runtime(const trace::TraceReader& reader, const std::string& path) {
  const auto& runtimes = reader.runtimes();
  const auto most = std::max_element(runtimes.begin(), runtimes.end(),
                                     [](const auto& a, const auto& b) { return a.units < b.units; });
  if (most == runtimes.end()) return Status{Code::bad_input, path + ": no runtime has run in it"};
  return &*most;
}

base::Result<TracedRun> read_run(const std::string& path, Global& global) {
  global.progress("reading " + path);
  const auto reader = open_trace_of_process(path);
  if (!reader) return reader.status();
  const auto runtime = busiest_runtime(*reader, path);
  if (!runtime) return runtime.status();
  auto program = sim::read_program(*reader, **runtime);
  if (!program) return program.status();
  TracedRun run{std::move(*program), findings_of(*reader, static_cast<int>(*runtime - reader->runtimes().data()) + 1)};
  global.progress("");
  return run;
}

}  // namespace weir::tool
