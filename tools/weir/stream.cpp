// SPDX-License-Identifier: Apache-2.0

// weir stream: McCalpin's STREAM, the bandwidth that every other number is read against; and sweeps of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/joined.hpp"
#include "file_names.hpp"
#include "json.hpp"
#include "machine/machine.hpp"
#include "machine/machine_data.hpp"
#include "machine/stream.hpp"
#include "memory/parse_size.hpp"
#include "plan_progress.hpp"
#include "plotting.hpp"
#include "show_report.hpp"
#include "stream/plot.hpp"
#include "stream/saved.hpp"
#include "stream/summary.hpp"
#include "stream/sweep.hpp"
#include "verb.hpp"

namespace weir::tool {
namespace {

using machine::Machine;
using machine::Placement;
using machine::Stores;
using machine::StreamLoop;

struct StreamOptions {
  int threads = 0;
  std::vector<int> domains;
  std::string memory;
  std::string array;
  int repetitions = 10;
  std::vector<std::string> loops;
  std::string stores = "both";
  std::string pages = "large";
  std::vector<std::string> sweep, places;
  std::string save, compare, plot;

  // More than one run for each kind of store.
  bool sweeps() const { return !sweep.empty() || places.size() > 1; }
  bool goes_through(const std::string& what) const {
    return std::find(sweep.begin(), sweep.end(), what) != sweep.end();
  }
};

constexpr StreamLoop kLoops[] = {StreamLoop::copy, StreamLoop::scale, StreamLoop::add, StreamLoop::triad};

base::Status check_domains(const Machine& m, const std::vector<int>& domains) {
  for (const int index : domains) {
    if (index >= 0 && std::size_t(index) < m.domains().size()) continue;
    return {base::Code::bad_option,
            fmt::format("--domain={}: this machine has domains 0 to {}", index, m.domains().size() - 1)};
  }
  return base::Status::success();
}

// The kernel's number of the node named, as weir topo shows it.
base::Result<std::optional<int>> chosen_node(const Machine& m, const std::string& name) {
  std::vector<std::string> known;
  for (const machine::MemoryNode& node : m.memory_nodes()) {
    if (node.allowed && node.name == name) return std::optional(node.os_index);
    if (node.allowed) known.push_back(node.name);
  }
  if (name.empty()) return std::optional<int>();
  return base::Status{base::Code::bad_option,
                      fmt::format("--memory={}: this machine has {}", name, base::joined(known, ", "))};
}

// A sweep is of triad, as figures of STREAM are, unless others are named.
std::vector<StreamLoop> chosen_loops(const StreamOptions& options) {
  if (options.loops.empty() && options.sweeps()) return {StreamLoop::triad};
  const std::vector<std::string>& names = options.loops;
  std::vector<StreamLoop> loops;
  for (const StreamLoop loop : kLoops) {
    if (names.empty() || std::find(names.begin(), names.end(), to_string(loop)) != names.end()) loops.push_back(loop);
  }
  return loops;
}

std::vector<Stores> chosen_stores(const std::string& name) {
  if (name == "temporal") return {Stores::temporal};
  if (name == "non-temporal") return {Stores::non_temporal};
  return {Stores::temporal, Stores::non_temporal};
}

base::Result<Bytes> array_of(const std::string& text) {
  auto size = memory::parse_size(text);
  if (size) return size;
  return base::Status{base::Code::bad_option, fmt::format("--array={}: {}", text, size.status().message)};
}

// Three arrays that the caches hold say nothing of memory.
std::string note_on(const Machine& m, Bytes array) {
  const std::uint64_t caches = m.all_last_level_caches().count;
  if (array.count * 3 > caches) return "";
  return fmt::format("note: three arrays of {} bytes fit into the caches ({} bytes): this measures them, not memory",
                     array.count, caches);
}

std::vector<Placement> chosen_places(const std::vector<std::string>& names) {
  std::vector<Placement> places;
  for (const Placement place : {Placement::compact, Placement::scatter, Placement::tile}) {
    if (std::find(names.begin(), names.end(), to_string(place)) != names.end()) places.push_back(place);
  }
  return places.empty() ? std::vector{Placement::compact} : places;
}

// What is asked for that has no meaning together.
base::Status check(const Machine& m, const StreamOptions& options) {
  if (base::Status status = check_domains(m, options.domains); !status) return status;
  const bool all_nodes = options.goes_through("nodes") || options.goes_through("pairs");
  if (all_nodes && !options.memory.empty()) {
    return {base::Code::bad_option, "--sweep nodes and --sweep pairs take every memory node: leave --memory out"};
  }
  if (!options.plot.empty() && !options.sweeps()) {
    return {base::Code::bad_option, "--plot draws a sweep: say --sweep threads, nodes or pairs, or several of --place"};
  }
  const auto node = chosen_node(m, options.memory);
  return node ? base::Status::success() : node.status();
}

SweepRequest request_of(const StreamOptions& options) {
  SweepRequest request;
  request.threads = options.goes_through("threads");
  request.nodes = options.goes_through("nodes");
  request.pairs = options.goes_through("pairs");
  request.places = chosen_places(options.places);
  request.stores = chosen_stores(options.stores);
  request.domains = options.domains;
  request.memory = options.memory;
  request.thread_count = options.threads;
  return request;
}

// What all points have in common.
base::Result<machine::StreamSettings> settings_of(const Machine& m, const StreamOptions& options) {
  machine::StreamSettings settings;
  settings.array = stream_array_size(m);
  if (!options.array.empty()) {
    const auto array = array_of(options.array);
    if (!array) return array.status();
    settings.array = *array;
  }
  settings.repetitions = options.repetitions;
  settings.loops = chosen_loops(options);
  settings.pages = options.pages == "small" ? platform::PageSize::small : platform::PageSize::large;
  return settings;
}

std::vector<DomainId> ids_of(const std::vector<int>& domains) {
  std::vector<DomainId> ids;
  for (const int index : domains) ids.push_back(DomainId(index));
  return ids;
}

// The rows of one point. Wrong results are a failure, too.
base::Result<std::vector<SweepRow>> measured(const Machine& m, const SweepPoint& point,
                                             machine::StreamSettings settings, const StreamOptions& options,
                                             double& error) {
  settings.threads = place_threads(m, ids_of(point.domains), point.place, point.threads);
  settings.stores = point.stores;
  settings.os_node = *chosen_node(m, point.memory);  // checked, or from the machine
  const auto report = run_stream(settings);
  if (!report) return report.status();
  error = std::max(error, report->error);
  if (!report->verified) {
    return base::Status{base::Code::io_error,
                        fmt::format("the arrays are wrong after the run: relative error {:.1e}", report->error)};
  }
  std::vector<SweepRow> rows;
  for (const machine::StreamRow& row : report->rows) {
    rows.push_back({point, row, report->array.count, report->instructions, options.pages, m.data().cpu_model, true});
  }
  return rows;
}

void print_head(const SweepRow& first, const StreamOptions& options, Global& global) {
  const std::string where = options.memory.empty() ? "" : fmt::format(" in {}", options.memory);
  const std::string threads =
      options.sweeps() ? "a sweep"
                       : fmt::format("{} thread{}", first.point.threads, first.point.threads == 1 ? "" : "s");
  global.print("STREAM: {}, 3 arrays of {:.1f} MB{}, {} loops, {} repetitions, the first not counted\n\n", threads,
               double(first.array_bytes) * 1e-6, where, first.instructions, options.repetitions);
  if (options.sweeps()) {
    global.print("where                     place    threads loop   stores        best GB/s  median GB/s\n");
  } else {
    global.print("loop   stores        best GB/s  median GB/s    avg ms    min ms    max ms\n");
  }
}

void print_row(const SweepRow& row, bool sweeps, Global& global) {
  const machine::StreamRow& stream = row.stream;
  const std::string figures = fmt::format("{:<6} {:<12} {:>10.2f} {:>12.2f}", to_string(stream.loop),
                                          to_string(row.point.stores), stream.best_gb_per_s, stream.median_gb_per_s);
  if (sweeps) {
    global.print("{:<25} {:<8} {:>7} {}\n", where_text(row.point), to_string(row.point.place), row.point.threads,
                 figures);
  } else {
    global.print("{} {:>9.3f} {:>9.3f} {:>9.3f}\n", figures, 1e3 * stream.average_seconds, 1e3 * stream.best_seconds,
                 1e3 * stream.worst_seconds);
  }
}

struct Measured {
  std::vector<SweepRow> rows;
  double error = 0;    // of the arrays, the largest
  int status = kDone;  // of the last point that failed
};

// Of the row, and what --compare found of it: null for what the earlier run has not measured.
Json object_with(const SweepRow& row, const std::vector<SweepRow>& earlier) {
  Json object = object_of(row);
  if (earlier.empty()) return object;
  const SweepRow* const then = same_in(earlier, row);
  const double before = then == nullptr ? 0 : then->stream.median_gb_per_s;
  object["earlier_median_gb_per_s"] = then == nullptr ? Json() : Json(before);
  object["over_earlier"] = before > 0 ? Json(row.stream.median_gb_per_s / before) : Json();
  return object;
}

// What was asked for cannot be had.
bool is_wrong_usage(base::Code code) { return code == base::Code::bad_option || code == base::Code::no_space; }

// A point that fails, because its memory node is too small, say, is told, and the others are measured.
Measured measured_all(const Machine& m, const std::vector<SweepPoint>& points, const machine::StreamSettings& settings,
                      const StreamOptions& options, const std::vector<SweepRow>& earlier, Global& global) {
  Measured all;
  PlanProgress progress(global);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SweepPoint& point = points[i];
    progress.show(i, points.size(),
                  fmt::format("{}, {} threads, {}", where_text(point), point.threads, to_string(point.stores)));
    auto rows = measured(m, point, settings, options, all.error);
    global.progress("");
    if (!rows) {
      all.status = fail(options.sweeps()
                            ? fmt::format("{}, {} threads: {}", where_text(point), point.threads, rows.status().message)
                            : rows.status().message,
                        is_wrong_usage(rows.status().code) ? kUsage : kFailed);
      if (!options.sweeps()) return all;
      continue;
    }
    if (all.rows.empty()) print_head(rows->front(), options, global);
    for (SweepRow& row : *rows) {
      print_row(row, options.sweeps(), global);
      global.add(object_with(row, earlier));
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

void print_comparison(const std::vector<SweepRow>& earlier, const std::vector<SweepRow>& rows, const std::string& file,
                      Global& global) {
  for (const std::string& why : differences(earlier, rows)) fail("note: not quite comparable: " + why);
  global.print("\ncompared with {}: median GB/s then and now\n", file);
  std::size_t missing = 0;
  for (const SweepRow& row : rows) {
    const SweepRow* then = same_in(earlier, row);
    if (then == nullptr) ++missing;
    if (then == nullptr) continue;
    const double now = row.stream.median_gb_per_s, before = then->stream.median_gb_per_s;
    global.print("{:<25} {:<8} {:>7} {:<6} {:<12} {:>9.2f} {:>9.2f}  {:.2f} times\n", where_text(row.point),
                 to_string(row.point.place), row.point.threads, to_string(row.stream.loop), to_string(row.point.stores),
                 before, now, before > 0 ? now / before : 0);
  }
  if (missing > 0) global.print("{} of {} rows are not in it\n", missing, rows.size());
}

// What is asked for beside the table, made or read before anything is measured.
struct Extras {
  std::optional<Plot> plot;
  std::optional<PendingFile> saved;
  std::vector<SweepRow> earlier;
};

base::Result<Extras> extras_of(const StreamOptions& options) {
  Extras extras;
  if (base::Status status =
          check_differ({{"--compare", options.compare}, {"--save", options.save}, {"--plot", options.plot}});
      !status)
    return status;
  auto plot = Plot::create(options.plot);
  if (!plot) return plot.status();
  extras.plot = std::move(*plot);
  if (!options.save.empty()) {
    auto file = PendingFile::create(options.save);
    if (!file) return file.status();
    extras.saved.emplace(std::move(*file));
  }
  if (!options.compare.empty()) {
    auto earlier = read_saved(options.compare);
    if (!earlier) return earlier.status();
    extras.earlier = std::move(*earlier);
  }
  return extras;
}

base::Status finish(Extras& extras, const std::vector<SweepRow>& rows) {
  if (extras.saved) {
    if (base::Status status = write_saved(extras.saved->path(), rows); !status) return status;
    if (base::Status status = extras.saved->commit(); !status) return status;
  }
  if (!extras.plot) return base::Status::success();
  return extras.plot->draw(stream_plot(rows));
}

// That a placement is the same as another here is said: a machine without shared second-level caches has no tiles.
void note_on_places(const Machine& m, const StreamOptions& options) {
  const bool tile = std::find(options.places.begin(), options.places.end(), "tile") != options.places.end();
  const auto ids = ids_of(options.domains);
  if (tile && tile_count(m, ids) == int(place_threads(m, ids, Placement::compact, 0).size()))
    fail("note: no two cores here share a second-level cache: --place tile is the same as compact");
}

int run(const StreamOptions& options, Global& global) {
  const auto m = Machine::discover();
  if (!m) return fail(m.status());
  if (const base::Status status = check(*m, options); !status) return fail(status);
  const auto settings = settings_of(*m, options);
  if (!settings) return fail(settings.status());
  auto extras = extras_of(options);
  if (!extras) return fail_to_read(extras.status());
  if (const std::string note = note_on(*m, settings->array); !note.empty()) fail(note);
  note_on_places(*m, options);
  const Measured all =
      measured_all(*m, points_of(*m, request_of(options)), *settings, options, extras->earlier, global);
  if (all.rows.empty()) return all.status;
  global.print("\nGB/s: 10^9 bytes a second, as STREAM counts. Results are right: largest relative error {:.1e}.\n",
               all.error);
  if (options.sweeps()) global.print("\n{}", summary_of(all.rows));
  if (!extras->earlier.empty()) print_comparison(extras->earlier, all.rows, options.compare, global);
  const base::Status finished = finish(*extras, all.rows);
  return finished ? all.status : fail(finished);
}

constexpr const char* kStreamText =
    R"(Runs copy (c = a), scale (b = s*c), add (c = a+b) and triad (a = b+s*c) over arrays that are larger than the caches, and counts bytes as STREAM does: 16 per element for copy and scale, 24 for add and triad. A temporal (ordinary) store makes the processor read the line before it writes it, which is not counted; a non-temporal store goes around the caches and saves that read. Results are checked.

Each thread is bound to a core, domain by domain, and touches its part of the arrays first, so the arrays are in the memory of its domain unless --memory says where.

--sweep makes a run for each number of threads from one to all (each up to 16, then about eight for each doubling), for each memory node, or for each pair of a domain and a memory node; --sweep threads,pairs goes through both. A sweep is of triad unless --loops names others, and ends with a line for each memory: by how many threads it is saturated (95 % of the best), and what non-temporal stores gain. --place says which cores threads take first: compact, core after core; tile, one core of each second-level cache before the second of any; scatter, the next domain for each next thread, and within it the next cache.

With --json, one object per run, loop and kind of store, which --save keeps, too: loop, stores, threads, place, domains, memory, array_bytes, instructions, pages, best_gb_per_s, median_gb_per_s, average_seconds, min_seconds, max_seconds, verified, machine. With --compare, too, earlier_median_gb_per_s and over_earlier, null for what the earlier run has not measured.)";

void add_sweep_options(CLI::App& verb, StreamOptions& options) {
  add_option(verb, "--sweep", options.sweep, "a run for each of these, with commas between: threads, nodes, pairs")
      .type_name("WHAT,...")
      .comma_separated()
      .among({"threads", "nodes", "pairs"});
  add_option(verb, "--place", options.places, "which cores come first; several are compared (default: compact)")
      .type_name("ORDER,...")
      .comma_separated()
      .among({"compact", "scatter", "tile"});
  add_option(verb, "--save", options.save, "keep the rows in this file, as --json prints them").type_name("FILE");
  add_option(verb, "--compare", options.compare, "compare with the rows of an earlier --save or --json")
      .type_name("FILE");
  add_option(verb, "--plot", options.plot, "draw the sweep to this .svg or .png file; needs gnuplot").type_name("FILE");
}

}  // namespace

void add_stream(CLI::App& app, Global& global) {
  auto options = std::make_shared<StreamOptions>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "stream",
                .purpose = "measure memory bandwidth: copy, scale, add, triad",
                .text = kStreamText,
                .examples = {{"weir stream", "all cores, memory of their own domains"},
                             {"weir stream --domain 0 --memory hbm0", "cores of one domain, memory named by weir topo"},
                             {"weir stream --threads 1 --loops triad --stores temporal", "one number"},
                             {"weir stream --sweep threads --place compact,tile --plot stream.svg",
                              "how many threads saturate memory, drawn"},
                             {"weir stream --sweep pairs --save today.json", "each domain with each memory node, kept"},
                             {"weir stream --sweep pairs --compare today.json", "the same again, side by side"}}},
               [options](Global& g) { return run(*options, g); });
  add_option(verb, "--threads", options->threads, "threads; more than cores share them (default: one per core)")
      .type_name("N")
      .between(1, 4096);
  add_option(verb, "--domain", options->domains,
             "run on cores of these domains only, numbered as weir topo does (default: all)")
      .type_name("I,...")
      .comma_separated();
  add_option(verb, "--memory", options->memory,
             "put the arrays in this memory node, named as weir topo does (default: each thread's own)")
      .type_name("NODE");
  add_option(verb, "--array", options->array,
             "bytes of each of the three arrays, e.g. 512MB (default: 4 times all last-level caches, 80 MB at least)")
      .type_name("SIZE");
  add_option(verb, "--repetitions", options->repetitions,
             "passes over all loops, the first of which is not counted (default: 10)")
      .type_name("N")
      .between(2, 100000);
  add_option(verb, "--loops", options->loops, "only these (default: all)")
      .type_name("LOOP,...")
      .comma_separated()
      .among({"copy", "scale", "add", "triad"});
  add_option(verb, "--stores", options->stores, "kind of store (default: both)")
      .type_name("KIND")
      .among({"temporal", "non-temporal", "both"});
  add_option(verb, "--pages", options->pages,
             "large: transparent huge pages where the kernel has them (default: large)")
      .type_name("KIND")
      .among({"large", "small"});
  add_sweep_options(verb, *options);
}

}  // namespace weir::tool
