// How many bytes this process can still use: the least of what the machine has free, its cgroups (v1 and v2, up to the
// root) leave, and its address space limit allows.
#pragma once

#include <cstdint>
#include <string>

namespace weir::apps {

struct AvailableMemory {
  std::uint64_t bytes = ~std::uint64_t{0};
  std::string limited_by;  // for messages: "the machine", "its cgroup", "ulimit -v"
};

// `root` is put before /proc and /sys, for tests. What cannot be read does not limit. Any thread.
AvailableMemory available_memory(const std::string& root = "");

}  // namespace weir::apps
