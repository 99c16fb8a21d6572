// weir report: what a trace says.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "report/analysis.hpp"
#include "report/read_trace.hpp"
#include "report/render.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct ReportSettings {
  std::string file;
  int runtime = 0;
};

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

int show(const ReportSettings& settings, Global& global) {
  global.progress("reading " + settings.file);
  const auto traces = report::read_traces(settings.file);
  global.progress("");
  if (!traces) return fail(traces.status());
  const report::Trace* const trace = choose(*traces, settings.runtime);
  if (trace == nullptr) {
    return fail(fmt::format("--runtime {}: {} has {}", settings.runtime, settings.file, traces->size()), kUsage);
  }
  const report::Report result = report::analyse(*trace);
  if (traces->size() > 1 && settings.runtime == 0) {
    global.print("{} runtimes in {}; this is the one with most work (--runtime N: another)\n", traces->size(),
                 settings.file);
  }
  report::print(*trace, result, global);
  global.add(report::to_json(*trace, result));
  return kDone;
}

constexpr const char* kText =
    R"(Reads the file that --trace or WEIR_TRACE has made a runtime write, and says where the time of each worker went, as a share of the runtime's life:

  running      callables of tasks
  program      the thread's own code outside of tasks
  analyse      spawning: from footprints to edges
  sched        between two tasks
  moving       the worker itself brought blocks (strategies off, inline)
  data         waits: nothing to run while a ready task waited for its blocks
  work         waits: nothing to run while tasks were left that depend on others
  idle         nothing to run, no task left

These add up to all of it. The bound is what this run could have taken at best on so many workers: the longest of the critical path (tasks that had to run one after the other, with the code that spawned them), all work divided by the workers, and the bytes of each link divided by its bandwidth, where weir topo --measure has measured that.

A file holds every runtime that the process has made; the one with most work is shown.)";

}  // namespace

void add_report(CLI::App& app, Global& global) {
  auto settings = std::make_shared<ReportSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "report",
                             .purpose = "say where the time of a traced run went, and what would make it shorter",
                             .text = kText,
                             .examples = {{"weir run seismic --variants weir --trace t.json", "record a run"},
                                          {"weir report t.json", "what it shows"},
                                          {"weir report t.json --json | jq '.[].advice'", "for programs"}}},
                            [settings](Global& g) { return show(*settings, g); });
  verb.add_option("file", settings->file, "the trace")->required()->type_name("FILE");
  verb.add_option("--runtime", settings->runtime, "the N-th runtime of the process; default the one with most work")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

}  // namespace weir::tool
