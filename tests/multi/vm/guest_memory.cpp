// SPDX-License-Identifier: Apache-2.0

#include "guest_memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace weir::guest {
namespace {

constexpr std::size_t kPage = 4096;
constexpr const char* kRoot = "/sys/fs/cgroup";
constexpr const char* kGroup = "/sys/fs/cgroup/weir";

void write_to(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// The number after `key` in a file of lines "key number", or the first one for no key.
std::size_t number_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(key);
    std::size_t number = 0;
    if (at != std::string::npos && std::istringstream(line.substr(at + key.size())) >> number) return number;
  }
  return 0;
}

}  // namespace

std::vector<int> nodes_of_pages(const void* data, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(data) / kPage;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes - 1) / kPage;
  std::vector<void*> pages;
  for (auto page = first; page <= last; ++page) pages.push_back(reinterpret_cast<void*>(page * kPage));
  std::vector<int> nodes(pages.size(), -1);
  for (int tries = 0; tries < 20; ++tries) {
    syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0);
    if (std::none_of(nodes.begin(), nodes.end(), [](int node) { return node == -ENOENT; })) break;
    usleep(5000);  // a page that the kernel is moving or gathering into a large one is nowhere for a moment
  }
  return nodes;
}

std::set<int> nodes_under(const void* data, std::size_t bytes) {
  const std::vector<int> nodes = nodes_of_pages(data, bytes);
  return {nodes.begin(), nodes.end()};
}

std::size_t free_on_node(int os_node) {
  return number_in("/sys/devices/system/node/node" + std::to_string(os_node) + "/meminfo", "MemFree:") * kKiB;
}

FullNode::FullNode(int os_node, std::size_t spare) {
  const std::size_t free = free_on_node(os_node);
  if (free <= spare) return;
  bytes_ = (free - spare) / kPage * kPage;
  data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) return;
  madvise(data_, bytes_, MADV_NOHUGEPAGE);
  const unsigned long mask = 1ul << os_node;
  syscall(SYS_mbind, data_, bytes_, MPOL_PREFERRED, &mask, 64, 0u);
  for (std::size_t at = 0; at < bytes_ && free_on_node(os_node) > spare; at += kMiB) {
    for (std::size_t page = at; page < at + kMiB && page < bytes_; page += kPage) {
      static_cast<volatile char*>(data_)[page] = 1;
    }
  }
}

FullNode::~FullNode() {
  if (data_ != MAP_FAILED) munmap(data_, bytes_);
}

namespace {

std::string in_root(const char* file) { return std::string(kRoot).append(file); }
std::string in_group(const char* file) { return std::string(kGroup).append(file); }

}  // namespace

MemoryCgroup::MemoryCgroup(std::size_t bytes) {
  mount("none", kRoot, "cgroup2", 0, nullptr);
  write_to(in_root("/cgroup.subtree_control"), "+memory");
  mkdir(kGroup, 0755);
  write_to(in_group("/memory.max"), std::to_string(bytes));
  write_to(in_group("/cgroup.procs"), std::to_string(getpid()));
  in_force_ = number_in(in_group("/memory.max"), "") > 0;
}

MemoryCgroup::~MemoryCgroup() { write_to(in_root("/cgroup.procs"), std::to_string(getpid())); }

std::size_t MemoryCgroup::used() const { return number_in(in_group("/memory.current"), ""); }
std::size_t MemoryCgroup::kills() const { return number_in(in_group("/memory.events"), "oom_kill "); }

}  // namespace weir::guest
