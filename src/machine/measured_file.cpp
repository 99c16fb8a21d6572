// SPDX-License-Identifier: Apache-2.0

#include "machine/measured_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>

#include "base/joined.hpp"
#include "machine/machine_data.hpp"

namespace weir::machine {
namespace {

constexpr const char* kFirstLine = "weir measured costs 1: node domain read_gb_per_s write_gb_per_s latency_ns";

std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

std::string cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/') {
    return std::string(cache) + "/weir";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] != '\0' ? std::string(home) + "/.cache/weir" : "";
}

std::string to_text(const Costs& costs) {
  std::string text = fmt::format("{}\n", kFirstLine);
  for (std::size_t node = 0; node < costs.size(); ++node) {
    for (std::size_t domain = 0; domain < costs[node].size(); ++domain) {
      const Cost& cost = costs[node][domain];
      text += fmt::format("{} {} {} {} {}\n", node, domain, cost.read_gb_per_s, cost.write_gb_per_s, cost.latency_ns);
    }
  }
  return text;
}

base::Status io_error(const std::string& path, const char* reason) {
  return {base::Code::io_error, fmt::format("cannot write the measured costs to {}: {}", path, reason)};
}

}  // namespace

// Sizes stay out of it: what the kernel reports differs from boot to boot, and under a memory balloon from hour to
// hour.
std::string fingerprint(const Machine& machine) {
  std::string text = machine.data().cpu_model;
  for (const Domain& domain : machine.domains()) {
    text += fmt::format(";d{}", domain.os_node);
    for (const Core& core : domain.cores) text += fmt::format(",{}", base::joined(core.os_cpus, "+"));
  }
  for (const MemoryNode& node : machine.memory_nodes()) {
    text += fmt::format(";m{}:{}", node.os_index, to_string(node.kind));
  }
  return fmt::format("{:016x}", fnv1a(text));
}

std::string measured_path(const Machine& machine) {
  const std::string folder = cache_folder();
  return folder.empty() ? "" : folder + "/machine-" + fingerprint(machine);
}

std::optional<Costs> load_measured(const Machine& machine) {
  const std::string path = measured_path(machine);
  std::ifstream file(path);
  file.imbue(std::locale::classic());  // as it is written: in the program's own locale a point may be none of numbers
  std::string first;
  if (path.empty() || !std::getline(file, first) || first != kFirstLine) return std::nullopt;
  const std::size_t nodes = machine.memory_nodes().size(), domains = machine.domains().size();
  Costs costs(nodes, std::vector<Cost>(domains));
  std::size_t node = 0, domain = 0;
  for (Cost cost; file >> node >> domain >> cost.read_gb_per_s >> cost.write_gb_per_s >> cost.latency_ns;) {
    if (node >= nodes || domain >= domains) return std::nullopt;
    costs[node][domain] = cost;
  }
  if (!file.eof()) return std::nullopt;
  return costs;
}

base::Status save_measured(const Machine& machine, const Costs& costs) {
  const std::string path = measured_path(machine);
  if (path.empty()) return io_error("~/.cache/weir", "neither XDG_CACHE_HOME nor HOME is set");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return io_error(path, error.message().c_str());
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  std::ofstream file(temporary);
  file << to_text(costs);
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    base::Status failure = io_error(path, std::strerror(errno));
    std::remove(temporary.c_str());
    return failure;
  }
  return base::Status::success();
}

}  // namespace weir::machine
