// SPDX-License-Identifier: Apache-2.0

// weir trace: what is in a trace file, and the same for other tools.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "file_names.hpp"
#include "job/job_json.hpp"
#include "json.hpp"
#include "report/read_trace.hpp"
#include "report/units.hpp"
#include "show_report.hpp"
#include "trace/records.hpp"
#include "trace_file.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct TraceSettings {
  std::vector<std::string> files;
  std::string to;
};

// How many of each thing are in a runtime's part of the file.
class Counter final : public trace::RecordVisitor {
 public:
  std::uint64_t tasks = 0, spawns = 0, accesses = 0, edges = 0;

 private:
  void spawn(std::uint32_t, const trace::Event&, std::uint64_t) override { ++spawns; }
  void access(std::uint64_t, const trace::AccessRecord&) override { ++accesses; }
  void edge(std::uint64_t, std::uint64_t) override { ++edges; }
  void event(std::uint32_t, const trace::Event& event) override { tasks += event.kind() == trace::Kind::task ? 1 : 0; }
};

base::Status list_runtime(const trace::TraceReader& reader, const trace::RuntimeInfo& runtime, Global& global) {
  Counter counter;
  if (base::Status status = trace::read_records(reader, runtime, counter); !status) return status;
  global.print("runtime {}: {} tasks on {}, {} of events{}\n", runtime.number, counter.tasks,
               runtime.ended ? runtime.summary.machine : "a machine that the file does not name",
               report::measured_size(runtime.units * sizeof(trace::Event)),
               runtime.lost == 0 ? "" : fmt::format("; {} events were lost", runtime.lost));
  global.print("  spawns {}, accesses {}, edges {}; rows {}, blocks {}, tiers {}\n", counter.spawns, counter.accesses,
               counter.edges, runtime.tracks.size(), runtime.blocks.size(), runtime.tiers.size());
  global.add({{"runtime", runtime.number},
              {"ends_early", !runtime.ended},
              {"events_bytes", runtime.units * sizeof(trace::Event)},
              {"lost_events", runtime.lost},
              {"tasks", counter.tasks},
              {"spawns", counter.spawns},
              {"accesses", counter.accesses},
              {"edges", counter.edges},
              {"rows", runtime.tracks.size()},
              {"blocks", runtime.blocks.size()},
              {"tiers", runtime.tiers.size()}});
  return base::Status::success();
}

// Of a job: PEs and ranks are processes of one JSON.
int convert_job(const TraceSettings& settings, Global& global) {
  if (!settings.to.ends_with(".json"))
    return fail("--to: of the traces of a job only JSON is made; give one file for another format", kUsage);
  global.progress("reading the traces of the job");
  const auto starts = job::open_starts(settings.files);
  global.progress("");
  if (!starts) return fail_to_read(starts.status());
  for (const job::JobFiles& job : *starts)
    for (const std::string& remark : job.remarks) global.print("{}\n", remark);
  const auto status = job::write_job_json(*starts, settings.to);
  return status ? kDone : fail_to_read(status);
}

int list_or_convert(const std::string& file, const TraceSettings& settings, Global& global) {
  global.progress("reading " + file);
  const auto reader = report::open_trace(file);
  global.progress("");
  if (!reader) return fail_to_read(reader.status());
  if (reader->ends_early()) warn_of_early_end(file);
  if (!settings.to.empty()) {
    const auto status = write_converted(*reader, settings.to);
    return status ? kDone : fail_to_read(status);
  }
  for (const trace::RuntimeInfo& runtime : reader->runtimes()) {
    if (const auto status = list_runtime(*reader, runtime, global); !status) return fail_to_read(status);
  }
  return kDone;
}

int run_trace(const TraceSettings& settings, Global& global) {
  if (!settings.to.empty()) {
    for (const std::string& file : settings.files)
      if (const auto status = check_differ({{"the trace", file}, {"--to", settings.to}}); !status) return fail(status);
    if (const auto status = check_converted(settings.to); !status) return fail(status);
  }
  const bool is_one_file = settings.files.size() == 1 && std::filesystem::exists(settings.files.front());
  if (is_one_file || !job::is_job(settings.files)) return list_or_convert(settings.files.front(), settings, global);
  if (!settings.to.empty()) return convert_job(settings, global);
  const auto starts = job::open_starts(settings.files);
  if (!starts) return fail_to_read(starts.status());
  for (const job::JobFiles& job : *starts) {
    for (const std::string& remark : job.remarks) global.print("{}\n", remark);
    for (const job::PeFile& file : job.files) {
      global.print("{} {}, {}\n", file.word(), file.pe, file.path);
      if (const int status = list_or_convert(file.path, settings, global); status != kDone) return status;
    }
  }
  return kDone;
}

constexpr const char* kTraceText =
    R"(Reads the file that --trace FILE.weir or WEIR_TRACE=FILE.weir has made a runtime write, checks all of it, and says what is in it: for each runtime of the process its tasks, what they use, what they come after.

--to makes another file of it, by the name:

  run.json    for https://ui.perfetto.dev and chrome://tracing
  run.otf2    a folder in the Open Trace Format 2, for Vampir and the like;
              a process with several runtimes gives run-2.otf2 and so on

Of the traces of a job's PEs or ranks, several files or t.weir for t.0.weir, t.1.weir, ..., it makes one JSON, with a process for each.

A file of which a bit has changed is refused, with the place, and exit status 2. One that ends early, because its program still runs or was killed, is read as far as it is whole. weir report says where the time went.)";

}  // namespace

void add_trace(CLI::App& app, Global& global) {
  auto settings = std::make_shared<TraceSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "trace",
                             .purpose = "check a trace, and make other formats of it",
                             .text = kTraceText,
                             .examples = {{"weir run --trace t.weir ./program", "record a run"},
                                          {"weir trace t.weir", "what is in it"},
                                          {"weir trace t.weir --to t.json", "for Perfetto"},
                                          {"weir trace t.weir --json | jq '.[].tasks'", "for programs"}}},
                            [settings](Global& g) { return run_trace(*settings, g); });
  add_option(verb, "file", settings->files, "the trace, or those of a job's PEs or ranks").required().type_name("FILE");
  add_option(verb, "--to", settings->to, "make this of it: a name that ends in .json or .otf2").type_name("FILE");
}

}  // namespace weir::tool
