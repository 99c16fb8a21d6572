// SPDX-License-Identifier: Apache-2.0

// What the control groups around this process grant it, wherever they are mounted (/proc/self/mountinfo).
#pragma once

#include <string>
#include <vector>

namespace weir::platform {

// `root` stands before every path that is read; tests give the root of a made-up tree. Any thread.

struct ControlGroup {
  std::string folder;     // with the files of its limits, and `root` before it
  bool version2 = false;  // where the files of both versions are told apart
};
// The group of this process and all above it, up to the root, in each mounted hierarchy of version 1 that has the
// controller ("cpu", "memory") and in those of version 2, which may or may not have it.
std::vector<ControlGroup> control_groups(const std::string& controller, const std::string& root = "");

// Cores' worth of CPU time that the process may use, e.g. 1.5: the tightest CPU quota between its cgroup and the root,
// version 1 (cpu.cfs_quota_us) or 2 (cpu.max). 0 when there is none, or none that can be read.
double cpu_quota(const std::string& root = "");

}  // namespace weir::platform
