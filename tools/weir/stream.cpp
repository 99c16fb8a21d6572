// SPDX-License-Identifier: Apache-2.0

// weir stream: McCalpin's STREAM, the bandwidth that every other number is read against.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "json.hpp"
#include "machine/machine.hpp"
#include "machine/stream.hpp"
#include "verb.hpp"

namespace weir::tool {
namespace {

using machine::Machine;
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
};

constexpr StreamLoop kLoops[] = {StreamLoop::copy, StreamLoop::scale, StreamLoop::add, StreamLoop::triad};

base::Result<std::vector<DomainId>> chosen_domains(const Machine& m, const StreamOptions& options) {
  std::vector<DomainId> ids;
  for (const int index : options.domains) {
    if (index < 0 || std::size_t(index) >= m.domains().size()) {
      return base::Status{base::Code::bad_option,
                          fmt::format("--domain={}: this machine has domains 0 to {}", index, m.domains().size() - 1)};
    }
    ids.push_back(DomainId(index));
  }
  return ids;
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
                      fmt::format("--memory={}: this machine has {}", name, fmt::join(known, ", "))};
}

std::vector<StreamLoop> chosen_loops(const std::vector<std::string>& names) {
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

// "512MB", "1.5GiB"; a bare number is bytes.
base::Result<Bytes> array_of(const std::string& text) {
  constexpr double kMost = 1e15;
  static const std::map<std::string, double> kUnits = {{"", 1},
                                                       {"B", 1},
                                                       {"KB", 1e3},
                                                       {"MB", 1e6},
                                                       {"GB", 1e9},
                                                       {"TB", 1e12},
                                                       {"TIB", 1099511627776.0},
                                                       {"KIB", 1 << 10},
                                                       {"MIB", 1 << 20},
                                                       {"GIB", 1 << 30}};
  const auto refuse = [&](std::string_view why) {
    return base::Status{base::Code::bad_option, fmt::format("--array={}: {}", text, why)};
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return refuse("a size of 1 PB at most");
  if (error != std::errc() || std::isnan(number)) return refuse("a size is needed, such as 512MB or 1.5GiB");
  std::string unit = capitals(std::string_view(end, text.data() + text.size()));
  unit.erase(0, unit.find_first_not_of(' '));
  const auto known = kUnits.find(unit);
  if (known == kUnits.end()) return refuse("unknown unit; allowed is B, KB, MB, GB, TB, KiB, MiB, GiB or TiB");
  const double bytes = number * known->second;
  if (bytes < 1) return refuse("a size is above 0");
  if (bytes > kMost) return refuse("a size of 1 PB at most");
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

// Three arrays that the caches hold say nothing of memory.
std::string note_on(const Machine& m, Bytes array) {
  const std::uint64_t caches = m.all_last_level_caches().count;
  if (array.count * 3 > caches) return "";
  return fmt::format("note: three arrays of {} bytes fit into the caches ({} bytes): this measures them, not memory",
                     array.count, caches);
}

base::Result<machine::StreamSettings> settings_of(const Machine& m, const StreamOptions& options) {
  const auto domains = chosen_domains(m, options);
  if (!domains) return domains.status();
  const auto node = chosen_node(m, options.memory);
  if (!node) return node.status();
  machine::StreamSettings settings;
  settings.threads = stream_threads(m, *domains, options.threads);
  settings.os_node = *node;
  settings.array = stream_array_size(m);
  if (!options.array.empty()) {
    const auto array = array_of(options.array);
    if (!array) return array.status();
    settings.array = *array;
  }
  settings.repetitions = options.repetitions;
  settings.loops = chosen_loops(options.loops);
  settings.pages = options.pages == "small" ? platform::PageSize::small : platform::PageSize::large;
  return settings;
}

void print_head(const machine::StreamReport& report, const machine::StreamSettings& settings,
                const StreamOptions& options, Global& global) {
  const std::string where = options.memory.empty() ? "" : fmt::format(" in {}", options.memory);
  global.print("STREAM: {} thread{}, 3 arrays of {:.1f} MB{}, {} loops, {} repetitions, the first not counted\n\n",
               settings.threads.size(), settings.threads.size() == 1 ? "" : "s", double(report.array.count) * 1e-6,
               where, report.instructions, settings.repetitions);
  global.print("loop   stores        best GB/s  median GB/s    avg ms    min ms    max ms\n");
}

void print_rows(const machine::StreamReport& report, Stores stores, Global& global) {
  for (const machine::StreamRow& row : report.rows) {
    global.print("{:<6} {:<12} {:>10.2f} {:>12.2f} {:>9.3f} {:>9.3f} {:>9.3f}\n", to_string(row.loop),
                 to_string(stores), row.best_gb_per_s, row.median_gb_per_s, 1e3 * row.average_seconds,
                 1e3 * row.best_seconds, 1e3 * row.worst_seconds);
  }
}

void add_objects(const machine::StreamReport& report, const machine::StreamSettings& settings,
                 const StreamOptions& options, Global& global) {
  for (const machine::StreamRow& row : report.rows) {
    global.add({{"loop", to_string(row.loop)},
                {"stores", to_string(settings.stores)},
                {"threads", settings.threads.size()},
                {"domains", options.domains},
                {"memory", options.memory.empty() ? Json() : Json(options.memory)},
                {"array_bytes", report.array.count},
                {"instructions", report.instructions},
                {"pages", options.pages},
                {"best_gb_per_s", row.best_gb_per_s},
                {"median_gb_per_s", row.median_gb_per_s},
                {"average_seconds", row.average_seconds},
                {"min_seconds", row.best_seconds},
                {"max_seconds", row.worst_seconds},
                {"verified", report.verified}});
  }
}

int run(const StreamOptions& options, Global& global) {
  const auto m = Machine::discover();
  if (!m) return fail(m.status());
  auto settings = settings_of(*m, options);
  if (!settings) return fail(settings.status());
  if (const std::string note = note_on(*m, settings->array); !note.empty()) fail(note);
  bool first = true;
  double error = 0;
  for (const Stores stores : chosen_stores(options.stores)) {
    settings->stores = stores;
    global.progress(fmt::format("STREAM with {} stores", to_string(stores)));
    const auto report = run_stream(*settings);
    global.progress("");
    if (!report) return fail(report.status());
    if (std::exchange(first, false)) print_head(*report, *settings, options, global);
    print_rows(*report, stores, global);
    add_objects(*report, *settings, options, global);
    error = std::max(error, report->error);
    if (!report->verified) return fail(fmt::format("the arrays are wrong after the run: relative error {:.1e}", error));
  }
  global.print("\nGB/s: 10^9 bytes a second, as STREAM counts. Results are right: largest relative error {:.1e}.\n",
               error);
  return kDone;
}

constexpr const char* kText =
    R"(Runs copy (c = a), scale (b = s*c), add (c = a+b) and triad (a = b+s*c) over arrays that are larger than the caches, and counts bytes as STREAM does: 16 per element for copy and scale, 24 for add and triad. A temporal (ordinary) store makes the processor read the line before it writes it, which is not counted; a non-temporal store goes around the caches and saves that read. Results are checked.

Each thread is bound to a core, domain by domain, and touches its part of the arrays first, so the arrays are in the memory of its domain unless --memory says where.

With --json, one object per loop and kind of store: loop, stores, threads, domains, memory, array_bytes, instructions, pages, best_gb_per_s, median_gb_per_s, average_seconds, min_seconds, max_seconds, verified.)";

}  // namespace

void add_stream(CLI::App& app, Global& global) {
  auto options = std::make_shared<StreamOptions>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "stream",
                .purpose = "measure memory bandwidth: copy, scale, add, triad",
                .text = kText,
                .examples = {{"weir stream", "all cores, memory of their own domains"},
                             {"weir stream --domain 0 --memory hbm0", "cores of one domain, memory named by weir topo"},
                             {"weir stream --threads 1 --loops triad --stores temporal", "one number"}}},
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
}

}  // namespace weir::tool
