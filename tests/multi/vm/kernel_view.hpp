// SPDX-License-Identifier: Apache-2.0

// What the kernel itself says of NUMA nodes, read without Weir: the yardstick of the guests' tests.
#pragma once

#include <sched.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace weir::guest {

// "0-1,4" as a set.
inline std::set<int> parse_list(const std::string& text) {
  std::set<int> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first = 0, last = 0;
    if (!(range >> first)) continue;
    if (!(range.ignore(1) >> last)) last = first;
    for (int i = first; i <= last; ++i) numbers.insert(i);
  }
  return numbers;
}

inline std::set<int> list_file(const std::string& name) {
  std::ifstream file("/sys/devices/system/node/" + name);
  std::string line;
  std::getline(file, line);
  return parse_list(line);
}

inline std::set<int> online_nodes() { return list_file("online"); }
inline std::set<int> cpus_of_node(int os_node) { return list_file("node" + std::to_string(os_node) + "/cpulist"); }

// The mask of the calling thread; guests have few CPUs.
inline std::set<int> own_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::set<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.insert(cpu);
  }
  return cpus;
}

}  // namespace weir::guest
