// SPDX-License-Identifier: Apache-2.0

#include "platform/cgroup.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace weir::platform {
namespace {

// Where the CPU controller's groups of this process are: a mount point, and the group's path below it.
struct Group {
  std::string mount;
  std::string path;  // "/a/b", or "" for the top
  bool version2 = false;
};

bool lists(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

// The path in /proc/self/cgroup ("4:cpu,cpuacct:/a/b", or "0::/a/b" for version 2).
std::optional<std::string> group_path(const std::string& root, bool version2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? line.starts_with("0::") : lists(controllers, "cpu")) return line.substr(second + 1);
  }
  return std::nullopt;
}

// A line of mountinfo: "id parent device root mount options [optional...] - type source options".
struct Mount {
  std::string root, point, type, options;
};
std::optional<Mount> parse_mount(const std::string& line) {
  std::istringstream words(line);
  std::string id, parent, device, word;
  Mount mount;
  words >> id >> parent >> device >> mount.root >> mount.point;
  while (words >> word && word != "-") {
  }
  if (!(words >> mount.type >> word >> mount.options)) return std::nullopt;
  return mount;
}

// The path as seen below the mount, which may show a part of the hierarchy only (containers without a namespace).
std::string below(const std::string& path, const std::string& mount_root) {
  if (mount_root == "/") return path == "/" ? "" : path;
  return path.starts_with(mount_root) ? path.substr(mount_root.size()) : "";
}

std::vector<Group> groups(const std::string& root) {
  std::vector<Group> found;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto mount = parse_mount(line);
    if (!mount) continue;
    const bool version2 = mount->type == "cgroup2";
    if (!version2 && !(mount->type == "cgroup" && lists(mount->options, "cpu"))) continue;
    const auto path = group_path(root, version2);
    if (path) found.push_back({mount->point, below(*path, mount->root), version2});
  }
  return found;
}

double quota_of(const std::string& folder, bool version2) {
  std::string quota_text;
  double period = 0;
  if (version2) {
    std::ifstream(folder + "/cpu.max") >> quota_text >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota_text;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  double quota = 0;
  if (quota_text == "max" || !(std::istringstream(quota_text) >> quota)) return 0;
  return quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

double cpu_quota(const std::string& root) {
  double tightest = 0;
  for (const Group& group : groups(root)) {
    for (std::string path = group.path;; path.resize(path.rfind('/'))) {
      const double quota = quota_of(root + group.mount + path, group.version2);
      if (quota > 0 && (tightest == 0 || quota < tightest)) tightest = quota;
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return tightest;
}

}  // namespace weir::platform
