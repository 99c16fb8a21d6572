// SPDX-License-Identifier: Apache-2.0

// How much memory this process can still use, and what keeps it from more.
//
// What cannot be read does not limit. Nothing is remembered; about 0.1 ms. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.hpp"

namespace weir::platform {

struct MemoryLimit {
  std::uint64_t bytes = ~std::uint64_t{0};
  std::string limited_by;  // for messages: "the machine", "its cgroup", "ulimit -v", "ulimit -d"
};

// The least of what the machine has available and what its cgroups leave (v1 and v2, every group up to the root).
// `root` is put before /proc and /sys, for tests.
MemoryLimit physical_memory_limit(const std::string& root = "");

// That, and what the address space limit (ulimit -v) leaves for new mappings: of memory that processes share.
MemoryLimit shared_memory_limit(const std::string& root = "");

// That, and what the limit on data (ulimit -d) leaves, which counts memory of this process alone that it may write to.
MemoryLimit memory_limit(const std::string& root = "");

// What the address space limit (ulimit -v) leaves for new mappings; none: there is no such limit.
std::optional<std::uint64_t> addresses_left(const std::string& root = "");

// All memory of this host, free or not; 0: not known.
Bytes memory_of_host(const std::string& root = "");

}  // namespace weir::platform
