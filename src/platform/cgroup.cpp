// SPDX-License-Identifier: Apache-2.0

#include "platform/cgroup.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace weir::platform {
namespace {

bool lists(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

// The path in /proc/self/cgroup ("4:cpu,cpuacct:/a/b", or "0::/a/b" for version 2).
std::optional<std::string> group_path(const std::string& controller, const std::string& root, bool version2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? line.starts_with("0::") : lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Mountinfo has a blank in a name as \040.
std::string unescaped(const std::string& name) {
  std::string text;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string digits = name[at] == '\\' ? name.substr(at + 1, 3) : "";
    const bool is_code = digits.size() == 3 && digits.find_first_not_of("01234567") == std::string::npos;
    text += is_code ? static_cast<char>(std::stoi(digits, nullptr, 8)) : name[at];
    if (is_code) at += 3;
  }
  return text;
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
  mount.root = unescaped(mount.root);
  mount.point = unescaped(mount.point);
  return mount;
}

// The path as seen below the mount, which may show a part of the hierarchy only (containers without a namespace).
std::string below(const std::string& path, const std::string& mount_root) {
  if (mount_root == "/") return path == "/" ? "" : path;
  return (path + "/").starts_with(mount_root + "/") ? path.substr(mount_root.size()) : "";
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

std::vector<ControlGroup> control_groups(const std::string& controller, const std::string& root) {
  std::vector<ControlGroup> found;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.find("cgroup") == std::string::npos) continue;
    const auto mount = parse_mount(line);
    if (!mount) continue;
    const bool version2 = mount->type == "cgroup2";
    if (!version2 && !(mount->type == "cgroup" && lists(mount->options, controller))) continue;
    const auto own = group_path(controller, root, version2);
    if (!own) continue;
    for (std::string path = below(*own, mount->root);; path.resize(path.rfind('/'))) {
      found.push_back({root + mount->point + path, version2});
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return found;
}

double cpu_quota(const std::string& root) {
  double tightest = 0;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    const double quota = quota_of(group.folder, group.version2);
    if (quota > 0 && (tightest == 0 || quota < tightest)) tightest = quota;
  }
  return tightest;
}

}  // namespace weir::platform
