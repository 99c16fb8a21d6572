// SPDX-License-Identifier: Apache-2.0

#include "processes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
namespace fs = std::filesystem;

// What follows the name in /proc/PID/stat, which may have any characters, brackets too.
std::string stat_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');
  return end == std::string::npos || end + 2 >= line.size() ? "" : line.substr(end + 2);
}

std::optional<pid_t> number_of(const std::string& name) {
  pid_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::multimap<pid_t, pid_t> children() {
  std::multimap<pid_t, pid_t> result;
  std::error_code failed;
  for (fs::directory_iterator at("/proc", failed), end; !failed && at != end; at.increment(failed)) {
    const auto process = number_of(at->path().filename().string());
    if (!process) continue;
    const std::string stat = stat_of(*process);
    if (stat.size() > 2) result.emplace(std::atoi(stat.c_str() + 2), *process);
  }
  return result;
}

}  // namespace

std::vector<pid_t> family_of(pid_t process) {
  std::vector<pid_t> family{process};
  const auto all = children();
  for (std::size_t i = 0; i < family.size(); ++i) {
    const auto [begin, end] = all.equal_range(family[i]);
    for (auto child = begin; child != end; ++child) family.push_back(child->second);
  }
  return family;
}

char state_of(pid_t process) {
  const std::string stat = stat_of(process);
  return stat.empty() || stat[0] == 'Z' || stat[0] == 'X' ? '\0' : stat[0];
}

std::optional<trace::JobProcess> rank_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  std::map<std::string, std::string, std::less<>> variables;
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (const std::size_t end = entry.find('='); end != std::string::npos)
      variables.emplace(entry.substr(0, end), entry.substr(end + 1));
  }
  return trace::job_process([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::vector<RankJob> rank_jobs_of(pid_t process) {
  const auto own = rank_of(process);
  std::vector<pid_t> candidates;
  if (own) {
    for (const auto& [parent, child] : children()) candidates.push_back(child);
  } else {
    candidates = family_of(process);
  }
  std::vector<RankJob> jobs;  // in the order in which their processes were found
  for (const pid_t candidate : candidates) {
    const auto rank = rank_of(candidate);
    if (!rank || (own && rank->job != own->job)) continue;
    auto job = std::find_if(jobs.begin(), jobs.end(), [&](const RankJob& other) { return other.name == rank->job; });
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {rank->job, {}});
    job->ranks.push_back({rank->rank, rank->ranks, candidate});
  }
  for (RankJob& job : jobs)
    std::sort(job.ranks.begin(), job.ranks.end(), [](const RankProcess& a, const RankProcess& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.process < b.process;
    });
  return jobs;
}

base::Result<std::vector<HeapFile>> heap_files_of(pid_t process) {
  std::vector<HeapFile> files;
  std::error_code failed;
  for (fs::directory_iterator at(fmt::format("/proc/{}/fd", process), failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;
    if (fs::read_symlink(at->path(), gone).string() != "/memfd:weir heap (deleted)") continue;
    struct stat file {};
    if (stat(at->path().c_str(), &file) == 0) files.push_back({at->path().string(), {file.st_dev, file.st_ino}});
  }
  if (failed == std::errc::permission_denied) {
    struct stat folder {};
    const uid_t owner = stat(fmt::format("/proc/{}", process).c_str(), &folder) == 0 ? folder.st_uid : geteuid();
    return Status{Code::unsupported,
                  fmt::format("process {} is of user {}, and user {} may not look at its files; use sudo", process,
                              owner, geteuid())};
  }
  return files;
}

}  // namespace weir::tool
