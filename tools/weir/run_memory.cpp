// SPDX-License-Identifier: Apache-2.0

#include "run_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/joined.hpp"
#include "json.hpp"
#include "library_report.hpp"
#include "loadable.hpp"
#include "machine/machine.hpp"
#include "memory/parse_size.hpp"
#include "memory/tier_plan.hpp"
#include "memory/tier_spec.hpp"
#include "placement_report.hpp"
#include "placer/wire.hpp"
#include "platform/companion.hpp"
#include "platform/memory_policy.hpp"
#include "print_error.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
using machine::Machine;
using machine::MemoryNode;
using memory::TierKind;
using platform::MemoryPolicy;
using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint64_t kLeastFrom = 64 << 10;  // each such allocation is a mapping, of which a process has 65,530

constexpr std::size_t kMostSaid = 8;  // processes

struct Place {
  std::vector<int> nodes;  // the kernel's numbers
  MemoryPolicy policy = MemoryPolicy::nearest;
};

std::string memory_of(const Machine& machine) {
  std::string text;
  for (const MemoryNode& node : machine.memory_nodes()) {
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", node.name, memory::size_text(node.capacity),
                        node.allowed ? "" : ", not allowed to this process");
  }
  return text;
}

Status refuse(const MemoryOptions& options, const std::string& why) {
  return {Code::bad_option, fmt::format("--memory {}: {}", options.mode, why)};
}

std::vector<int> os_nodes(const Machine& machine, const std::vector<MemoryNodeId>& ids) {
  std::vector<int> result;
  for (const MemoryNodeId id : ids) result.push_back(machine.memory_node(id).os_index);
  return result;
}

base::Result<Place> place(const MemoryOptions& options, const Machine& machine) {
  if (!machine.is_this_system())
    return refuse(options, "hwloc describes another machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC)");
  Place place;
  if (options.mode == "interleave") {
    place.policy = MemoryPolicy::interleaved;
    for (const MemoryNode& node : machine.memory_nodes())
      if (node.allowed && node.capacity.count > 0) place.nodes.push_back(node.os_index);
    return place;
  }
  const TierKind kind = options.mode == "ddr" ? TierKind::ddr : TierKind::hbm;
  if (options.mode == "fast") place.policy = MemoryPolicy::interleaved;
  place.nodes = os_nodes(machine, memory::nodes_of(machine, kind));
  if (!place.nodes.empty()) return place;
  return refuse(options, fmt::format("this machine has no {} memory that the program may use; its memory is {}",
                                     memory::to_string(kind), memory_of(machine)));
}

// Everything: as large as addresses go.
base::Result<std::uint64_t> smallest(const MemoryOptions& options) {
  if (options.from.empty()) return SIZE_MAX;
  if (options.mode == "ddr")
    return refuse(options, "--from is for memory that is not the ordinary one: fast, local-fast, interleave");
  const auto size = memory::parse_size(options.from);
  if (!size) return Status{Code::bad_option, fmt::format("--from {}: {}", options.from, size.status().message)};
  if (size->count >= kLeastFrom) return size->count;
  return Status{Code::bad_option, fmt::format("--from {}: a size of at least {}, as 1MiB", options.from,
                                              memory::size_text({kLeastFrom}))};
}

class ProgramRun final : public PlacedRun {
 public:
  ProgramRun(MemoryOptions options, Machine machine, Place place, std::uint64_t from, std::string library,
             LibraryReport report)
      : options_(std::move(options)),
        machine_(std::move(machine)),
        place_(std::move(place)),
        from_(from),
        library_(std::move(library)),
        report_(std::move(report)) {}

  Variables variables() const override {
    const char* const others = std::getenv("LD_PRELOAD");
    const bool alone = others == nullptr || *others == '\0';
    const int one = is_alone() ? place_.nodes.front() : -1;
    const int mode = is_alone() ? -1 : platform::kernel_mode(place_.policy, place_.nodes.size());
    return {{"LD_PRELOAD", alone ? library_ : fmt::format("{}:{}", library_, others)},
            {placer::kVariable, fmt::format("from={} mode={} one={} nodes={} report={}", from_, mode, one,
                                            base::joined(place_.nodes, ","), report_.path())}};
  }

  Status with_policy(const std::function<void()>& start) override {
    std::optional<platform::ScopedMemoryPolicy> policy;
    if (!is_alone() && options_.from.empty()) {
      auto set = platform::ScopedMemoryPolicy::set(place_.policy, place_.nodes);
      if (!set) return refuse(options_, set.status().message);
      policy.emplace(std::move(*set));
    }
    start();
    return Status::success();
  }

  void report(Json& object, const std::string& whose) override {
    std::vector<PlacedProcess> processes = read_placements(report_.text());
    const std::size_t all = processes.size();
    std::erase_if(processes, [](const PlacedProcess& process) { return !process.ended; });
    const std::size_t silent = all - processes.size();
    std::stable_sort(processes.begin(), processes.end(),
                     [](const PlacedProcess& a, const PlacedProcess& b) { return bytes_of(a) > bytes_of(b); });
    Json list = Json::array();
    for (const PlacedProcess& process : processes) list.push_back(json_of(process));
    for (std::size_t i = 0; i < std::min(kMostSaid, processes.size()); ++i) say(processes[i], all > 1, whose);
    if (processes.size() > kMostSaid)
      print_error("weir: {}memory: {} more processes, none larger than the last one; --json has all\n", whose,
                  processes.size() - kMostSaid);
    if (all == 0)
      print_error("weir: {}memory: no process of the program {}: it is not known where its memory was\n", whose,
                  LibraryReport::may_be_written() ? "has loaded weir's library"
                                                  : "could write to weir's file (ulimit -f is 0)");
    if (silent > 0)
      print_error(
          "weir: {}memory: {} of {} processes have not told where their memory was: a signal has ended them, "
          "they run on, ended without exit(), or could not write to weir's file: all their descriptors were in "
          "use, they had become another user's or had another root folder, were at the limit on the length "
          "of files (ulimit -f), or may make few system calls only (seccomp)\n",
          whose, silent, all);
    object["memory"] = {{"mode", options_.mode}, {"processes", std::move(list)}, {"silent", silent}};
  }

 private:
  // A machine with a single memory node: nothing can be placed, and nothing is elsewhere.
  bool is_alone() const { return machine_.memory_nodes().size() == 1; }

  bool is_spread() const { return place_.policy == MemoryPolicy::interleaved && place_.nodes.size() > 1; }

  std::string name_of(int os_node) const {
    for (const MemoryNode& node : machine_.memory_nodes())
      if (node.os_index == os_node) return node.name;
    return fmt::format("node {}", os_node);
  }

  void say(const PlacedProcess& process, bool among_others, const std::string& whose) const {
    PlacementWords words{.nodes = place_.nodes,
                         .only_large = !options_.from.empty(),
                         .large = fmt::format("allocations from {}", memory::size_text({from_})),
                         .name_of = [this](int node) { return name_of(node); }};
    const std::string number = among_others ? fmt::format(" ({})", process.pid) : "";
    print_error("weir: {}memory of {}{}: {}\n", whose, process.name, number, placement_text(process, words));
    if (const std::string uneven = is_spread() ? uneven_text(process, words) : ""; !uneven.empty())
      print_error(
          "weir: {}memory of {}{}: its pages are not spread evenly: {}; a node was full, or the program places memory "
          "itself\n",
          whose, process.name, number, uneven);
    if (process.failures > 0)
      print_error("weir: {}memory of {}{}: {} allocations were not placed, as the kernel refused\n", whose,
                  process.name, number, process.failures);
    if (process.own_malloc)
      print_error(
          "weir: {}memory of {}{}: it has an allocator of its own in its file, whose allocations --from does not "
          "place; without --from all memory is placed\n",
          whose, process.name, number);
  }

  Json json_of(const PlacedProcess& process) const {
    Json bytes = Json::object();
    for (std::size_t kind = 0; kind < placer::kKinds; ++kind)
      for (const auto& [node, count] : process.bytes[kind]) bytes[placer::kKindNames[kind]][name_of(node)] = count;
    return {{"pid", process.pid}, {"name", process.name}, {"refused", process.failures}, {"bytes", std::move(bytes)}};
  }

  const MemoryOptions options_;
  const Machine machine_;
  const Place place_;
  const std::uint64_t from_;
  const std::string library_;
  const LibraryReport report_;
};

}  // namespace

void add_memory_options(CLI::App& verb, MemoryOptions& options) {
  add_option(
      verb, "--memory", options.mode,
      "where the memory of PROGRAM is, which need not use Weir: its heap, stacks and static data; fast: the fast "
      "memory, page after page on another node of it; local-fast: the fast memory nearest to the thread that "
      "first uses it; interleave: page after page on another memory node; ddr: ordinary memory; what finds no "
      "room is elsewhere; the end says where every page was (docs/placing.md)")
      .among({"fast", "local-fast", "interleave", "ddr"});
  add_option(verb, "--from", options.from,
             "with --memory, but ddr: only allocations of at least SIZE, as 1MiB; all else stays where it would be")
      .type_name("SIZE");
  add_flag(
      verb, "--memkind", options.memkind,
      "PROGRAM finds Weir's libmemkind, in which OpenMP's library and programs written for memkind look for memory "
      "of other kinds; the end says what it gave, and why not (docs/memory.md)");
}

Status check_memory_options(const MemoryOptions& options, bool hosts) {
  if (options.mode.empty() && !options.from.empty())
    return {Code::bad_option, "--from is for --memory: say where, as in weir run --memory fast --from 1MiB ./program"};
  const char* const given = !options.mode.empty() ? "--memory" : options.memkind ? "--memkind" : nullptr;
  if (!hosts || given == nullptr) return Status::success();
  return {Code::bad_option, fmt::format("{}: not with --hosts, where no weir sees the memory of other hosts", given)};
}

base::Result<std::unique_ptr<PlacedRun>> PlacedRun::prepare(const MemoryOptions& options,
                                                            const std::vector<std::string>& words) {
  const auto from = smallest(options);
  if (!from) return from.status();
  if (const std::string file = file_of_program(words.front()); !file.empty())
    for (const Status& status : {check_loads_libraries(file), check_loads_ours_first(file)})
      if (!status) return refuse(options, status.message);
  auto machine = Machine::discover();
  if (!machine) return machine.status();
  auto where = place(options, *machine);
  if (!where) return where.status();
  auto library = platform::find_companion("libweir-placer.so", "src/placer");
  if (!library) return library.status();
  auto report = LibraryReport::create("--memory " + options.mode);
  if (!report) return report.status();
  auto loaded = listed_name({"--memory", "LD_PRELOAD", " :"}, *library, report->folder());
  if (!loaded) return loaded.status();
  return std::unique_ptr<PlacedRun>(
      std::make_unique<ProgramRun>(options, *machine, *where, *from, std::move(*loaded), std::move(*report)));
}

}  // namespace weir::tool
