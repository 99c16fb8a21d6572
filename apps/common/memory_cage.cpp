// SPDX-License-Identifier: Apache-2.0

#include "apps/common/memory_cage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace weir::apps {
namespace {

using base::Code;
using base::Status;

// Writes without creating: a file of the kernel is there or is not.
Status write_text(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (file >= 0) ::close(file);
  if (written) return Status::success();
  return {Code::unsupported, fmt::format("{}: {}", path, std::strerror(error))};
}

struct Hierarchy {
  std::string folder;  // of the calling process
  const char* limit;
};

// Version 1 first: where both are mounted, the memory controller is there.
std::array<Hierarchy, 2> hierarchies(const std::string& root) {
  std::array<Hierarchy, 2> found = {{{"", "memory.limit_in_bytes"}, {"", "memory.max"}}};
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "number:controllers:/path"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers == "memory") found[0].folder = root + "/sys/fs/cgroup/memory" + path;
    if (controllers.empty()) found[1].folder = root + "/sys/fs/cgroup" + path;
  }
  return found;
}

}  // namespace

base::Result<MemoryCage> MemoryCage::create(std::uint64_t bytes, const std::string& root) {
  std::string tried = "no cgroup of memory is mounted";
  for (const Hierarchy& hierarchy : hierarchies(root)) {
    if (hierarchy.folder.empty()) continue;
    const std::string folder = fmt::format("{}/weir-{}", hierarchy.folder, ::getpid());
    if (::mkdir(folder.c_str(), 0755) != 0) {
      tried = fmt::format("{}: {}", folder, std::strerror(errno));
      continue;
    }
    MemoryCage cage(folder);
    const Status limited = write_text(fmt::format("{}/{}", folder, hierarchy.limit), std::to_string(bytes));
    if (limited) return cage;
    tried = limited.message;
  }
  return Status{Code::unsupported, fmt::format("cannot limit memory with a cgroup ({}); run it as root", tried)};
}

MemoryCage::MemoryCage(MemoryCage&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

MemoryCage::~MemoryCage() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

Status MemoryCage::enter() const { return write_text(folder_ + "/cgroup.procs", "0"); }

}  // namespace weir::apps
