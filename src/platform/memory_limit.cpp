// SPDX-License-Identifier: Apache-2.0

#include "platform/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "platform/cgroup.hpp"

namespace weir::platform {
namespace {

// The number after `key` in a file of lines "key number"; a file with nothing but a number has the key "".
std::optional<std::uint64_t> number_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::uint64_t number = 0;
    if (rest >> number) return number;
  }
  return std::nullopt;
}

void limit(MemoryLimit& memory, std::uint64_t bytes, const char* by) {
  if (bytes < memory.bytes) memory = {bytes, by};
}

struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* inactive;  // key in memory.stat: file pages that the kernel drops first
  const char* active;    // likewise: those that were used more than once, which it drops next
};
constexpr CgroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ",
                                   "total_active_file "};
constexpr CgroupFiles kVersion2 = {"/memory.max", "/memory.current", "inactive_file ", "active_file "};

// File pages that the kernel drops for who needs memory. As it counts MemAvailable of a machine: some are in use, the
// code of programs among them, at most half of them.
std::uint64_t spare_file_pages(const std::string& folder, const CgroupFiles& files) {
  constexpr std::uint64_t kInUse = std::uint64_t{32} << 20;
  const std::string stat = folder + "/memory.stat";
  const std::uint64_t active = number_in(stat, files.active).value_or(0);
  return number_in(stat, files.inactive).value_or(0) + active - std::min(active / 2, kInUse);
}

void limit_by_cgroup(MemoryLimit& memory, const std::string& folder, const CgroupFiles& files) {
  const auto most = number_in(folder + files.limit, "");
  if (!most) return;
  const std::uint64_t used = number_in(folder + files.usage, "").value_or(0);
  const std::uint64_t held = used - std::min(used, spare_file_pages(folder, files));
  limit(memory, *most - std::min(*most, held), "its cgroup");
}

// A limit anywhere on the way to the root counts.
void limit_by_all_cgroups(MemoryLimit& memory, const std::string& root) {
  for (const ControlGroup& group : control_groups("memory", root))
    limit_by_cgroup(memory, group.folder, group.version2 ? kVersion2 : kVersion1);
}

void limit_by_address_space(MemoryLimit& memory, const std::string& root) {
  rlimit allowed{};
  if (getrlimit(RLIMIT_AS, &allowed) != 0 || allowed.rlim_cur == RLIM_INFINITY) return;
  const auto pages = number_in(root + "/proc/self/statm", "").value_or(0);
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  limit(memory, allowed.rlim_cur - std::min<std::uint64_t>(allowed.rlim_cur, used), "ulimit -v");
}

void limit_by_data(MemoryLimit& memory, const std::string& root) {
  rlimit allowed{};
  if (getrlimit(RLIMIT_DATA, &allowed) != 0 || allowed.rlim_cur == RLIM_INFINITY) return;
  const std::uint64_t used = number_in(root + "/proc/self/status", "VmData:").value_or(0) * 1024;
  limit(memory, allowed.rlim_cur - std::min<std::uint64_t>(allowed.rlim_cur, used), "ulimit -d");
}

}  // namespace

MemoryLimit physical_memory_limit(const std::string& root) {
  MemoryLimit memory;
  if (const auto kib = number_in(root + "/proc/meminfo", "MemAvailable:")) limit(memory, *kib * 1024, "the machine");
  limit_by_all_cgroups(memory, root);
  return memory;
}

Bytes memory_of_host(const std::string& root) {
  if (const auto kib = number_in(root + "/proc/meminfo", "MemTotal:")) return {*kib * 1024};
  const long pages = sysconf(_SC_PHYS_PAGES);  // by sysinfo(2), which a sandbox may refuse
  return {pages > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0};
}

std::optional<std::uint64_t> addresses_left(const std::string& root) {
  MemoryLimit left;
  limit_by_address_space(left, root);
  return left.limited_by.empty() ? std::nullopt : std::optional(left.bytes);
}

MemoryLimit shared_memory_limit(const std::string& root) {
  MemoryLimit memory = physical_memory_limit(root);
  limit_by_address_space(memory, root);
  return memory;
}

MemoryLimit memory_limit(const std::string& root) {
  MemoryLimit memory = shared_memory_limit(root);
  limit_by_data(memory, root);
  return memory;
}

}  // namespace weir::platform
