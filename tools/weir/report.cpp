// SPDX-License-Identifier: Apache-2.0

// weir report: what a trace says.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "job/job_files.hpp"
#include "show_job_report.hpp"
#include "show_report.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct ReportSettings {
  std::vector<std::string> files;
  std::string html;
  int runtime = 0;
};

int show(const ReportSettings& settings, Global& global) {
  const std::string& file = settings.files.front();
  std::error_code unknown;  // reading it says why
  const bool is_one_file = settings.files.size() == 1 && std::filesystem::exists(file, unknown);
  const bool is_job = job::is_job(settings.files) && !(is_one_file && settings.runtime != 0);
  auto page = ReportPage::create(settings.html, is_job ? job::trace_names(settings.files) : settings.files);
  if (!page) return fail(page.status());
  const std::string title = std::filesystem::path(file).filename().string();
  if (is_job) return show_job_report({settings.files, settings.runtime, title, ""}, *page, global);
  return show_report({file, title, settings.runtime, ""}, *page, global);
}

constexpr const char* kReportText =
    R"(Reads the file that --trace FILE.weir or WEIR_TRACE=FILE.weir has made a runtime write, and says where the time of each worker went, as a share of the runtime's life:

  running      callables of tasks
  program      the thread's own code outside of tasks
  analyse      spawning: from footprints to edges
  sched        between two tasks
  moving       the worker itself brought blocks (strategies off, inline)
  data         waits: nothing to run while a ready task waited for its blocks
  held         waits: nothing to run while a ready task waited for what others had: commutative data, an OCR data block
  ranks        waits: nothing to run while a task waited for what another rank sends
  work         waits: nothing to run while tasks were left that depend on others
  idle         nothing to run, no task left

These add up to all of it. A thread of the program that is no worker (guest) counts from its first interval to its last. Below, a coarse line over time of each thing that changes, from nothing (space) to what stands behind it (#): workers that ran tasks or waited for data, bytes in each tier, bytes per second over each link. The bound is what this run could have taken at best on so many workers: the longest of the critical path (tasks that had to run one after the other, with the code that spawned them), all work divided by the workers, and the bytes of each link divided by its bandwidth, where weir topo --measure has measured that.

A file holds every runtime that the process has made; the one with most work is shown. Processes that have started their part of a job several times (weir::Ranks, or starts of the OpenSHMEM library, one behind the other) are shown with the start that has most work in all of them together; --runtime N shows the N-th. Of one file --runtime N is its N-th runtime.

Of a SHMEM program each PE has a file: t.0.weir, t.1.weir, ... of weir run -n 4 --trace t.weir. With t.weir, or several of the files, the report is on the job: bytes from PE to PE, where the time of each PE went, who came last to collectives, by whose put waits ended.

The ranks of a job (docs/ranks.md) have a file each, too: the report is that of all of them together, by one clock, with where the time of each rank went, bytes from rank to rank, who waited for whose data, and a critical path that goes across ranks.

--html writes it as one page beside: a timeline of every worker and move to zoom into, what each tier held, bytes per second over each link, the critical path; of ranks the bytes between them; of a job of PEs pictures of the bytes from PE to PE and of who waited for whom, and a timeline of every call. The page needs no network and no other file.)";

}  // namespace

void add_report(CLI::App& app, Global& global) {
  auto settings = std::make_shared<ReportSettings>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "report",
                .purpose = "say where the time of a traced run went, and what would make it shorter",
                .text = kReportText,
                .examples = {{"weir run seismic --variants weir --trace t.weir", "record a run"},
                             {"weir report t.weir", "what it shows"},
                             {"weir report t.weir --html t.html", "the same, and a timeline to look into"},
                             {"weir run --report ./program --size 64", "run a program, then report"},
                             {"weir report t.weir", "of a job of PEs or ranks with t.0.weir, t.1.weir, ..."},
                             {"weir run -n 4 --html t.html ./program", "run a job of PEs or ranks, then report"},
                             {"weir report t.weir --json | jq '.[].advice'", "for programs"}}},
               [settings](Global& g) { return show(*settings, g); });
  add_option(verb, "file", settings->files, "the trace, or those of a job's PEs or ranks").required().type_name("FILE");
  add_option(verb, "--html", settings->html, "also write it as a page for a browser, which needs nothing else")
      .type_name("FILE");
  add_option(verb, "--runtime", settings->runtime,
             "the N-th runtime of the process, or start of the job; default the one with most work")
      .type_name("N")
      .between(1, 1'000'000);
}

}  // namespace weir::tool
