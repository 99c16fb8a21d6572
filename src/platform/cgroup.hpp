// SPDX-License-Identifier: Apache-2.0

// What the control groups around this process grant it.
#pragma once

#include <string>

namespace weir::platform {

// Cores' worth of CPU time that the process may use, e.g. 1.5: the tightest CPU quota between its cgroup and the root,
// version 1 (cpu.cfs_quota_us) or 2 (cpu.max). 0 when there is none, or none that can be read.
// `root` stands before every path that is read; tests give the root of a made-up tree. Any thread.
double cpu_quota(const std::string& root = "");

}  // namespace weir::platform
