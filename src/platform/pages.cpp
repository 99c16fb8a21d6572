// SPDX-License-Identifier: Apache-2.0

#include "platform/pages.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/joined.hpp"

namespace weir::platform {
namespace {

// The node of the page at each offset from `data`, negative where there is none. Called by number: libnuma is not
// needed for two system calls.
base::Result<std::vector<int>> nodes_of(const void* data, const std::vector<std::size_t>& offsets) {
  std::vector<void*> addresses;
  addresses.reserve(offsets.size());
  for (const std::size_t offset : offsets) {
    addresses.push_back(const_cast<char*>(static_cast<const char*>(data)) + offset);
  }
  std::vector<int> nodes(offsets.size(), -1);
  if (syscall(SYS_move_pages, 0, offsets.size(), addresses.data(), nullptr, nodes.data(), 0) == 0) return nodes;
  return base::Status{base::Code::unsupported,
                      fmt::format("the kernel does not tell where pages are: move_pages: {}", std::strerror(errno))};
}

// The number of kB after `name` in a file in the form of /proc/meminfo.
Bytes meminfo(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(name + ":");
    if (at == std::string::npos) continue;
    std::uint64_t kilobytes = 0;
    std::istringstream(line.substr(at + name.size() + 1)) >> kilobytes;
    return {kilobytes * 1024};
  }
  return {};
}

// Of all zones of a node.
Bytes low_watermarks(int os_node) {
  std::ifstream file("/proc/zoneinfo");
  const std::string title = fmt::format("Node {},", os_node);
  bool inside = false;
  std::uint64_t pages = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if (line.starts_with("Node ")) inside = line.starts_with(title);
    if (inside && words >> word >> number && word == "low") pages += number;
  }
  return {pages * std::uint64_t(sysconf(_SC_PAGESIZE))};
}

std::string node_meminfo(int os_node) { return fmt::format("/sys/devices/system/node/node{}/meminfo", os_node); }

}  // namespace

base::Result<Pages> Pages::map(Bytes size, std::optional<int> os_node, PageSize page_size) {
  void* data = mmap(nullptr, size.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return base::Status{base::Code::no_space, fmt::format("cannot map {} bytes: {}", size.count, std::strerror(errno))};
  }
  Pages pages(data, size);
  wish_for_pages(data, size, page_size);
  if (os_node) {
    if (base::Status status = prefer_nodes(data, size, {&*os_node, 1}); !status) return status;
  }
  return pages;
}

void wish_for_pages(void* data, Bytes size, PageSize page_size) noexcept {
  static_cast<void>(madvise(data, size.count, page_size == PageSize::large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, size_.count);
}

base::Result<double> share_on_node(const void* data, Bytes size, int os_node) {
  constexpr std::size_t kMost = 4096;
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  const std::size_t pages = std::max<std::size_t>(1, size.count / page);
  const std::size_t samples = std::min(pages, kMost);
  std::vector<std::size_t> offsets(samples);
  for (std::size_t i = 0; i < samples; ++i) offsets[i] = i * pages / samples * page;
  const auto nodes = nodes_of(data, offsets);
  if (!nodes) return nodes.status();
  const auto touched = std::count_if(nodes->begin(), nodes->end(), [](int node) { return node >= 0; });
  if (touched == 0) return base::Status{base::Code::not_found, "no page has been touched"};
  return double(std::count(nodes->begin(), nodes->end(), os_node)) / double(touched);
}

base::Result<PagePlaces> places_of(const void* data, Bytes size, std::span<const int> os_nodes) {
  constexpr std::size_t kAtATime = 4096;
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  PagePlaces places;
  places.first_elsewhere = size.count;
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < size.count;) {
    offsets.clear();
    for (; at < size.count && offsets.size() < kAtATime; at += page) offsets.push_back(at);
    const auto nodes = nodes_of(data, offsets);
    if (!nodes) return nodes.status();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const int node = (*nodes)[i];
      if (node < 0) {
        ++places.absent;
      } else if (std::find(os_nodes.begin(), os_nodes.end(), node) != os_nodes.end()) {
        ++places.on_node;
      } else if (places.elsewhere++ == 0) {
        places.first_elsewhere = offsets[i];
      }
    }
  }
  return places;
}

void move_to_node(void* data, Bytes size, int os_node) {
  constexpr std::size_t kAtATime = 512;
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  void* addresses[kAtATime];
  int nodes[kAtATime], answers[kAtATime];
  std::fill(std::begin(nodes), std::end(nodes), os_node);
  for (std::size_t at = 0; at < size.count;) {
    std::size_t count = 0;
    for (; at < size.count && count < kAtATime; at += page) addresses[count++] = static_cast<char*>(data) + at;
    // One that fails stops the kernel: the rest of these would find no room either.
    if (syscall(SYS_move_pages, 0, count, addresses, nodes, answers, MPOL_MF_MOVE) < 0) return;
  }
}

base::Status prefer_nodes(void* data, Bytes size, std::span<const int> os_nodes) {
  constexpr int kBits = 8 * sizeof(unsigned long);
  const int most = *std::max_element(os_nodes.begin(), os_nodes.end());
  std::vector<unsigned long> mask(std::size_t(most / kBits) + 1);
  for (const int node : os_nodes) mask[std::size_t(node / kBits)] |= 1ul << (node % kBits);
  const int mode = os_nodes.size() == 1 ? MPOL_PREFERRED : MPOL_INTERLEAVE;
  // The kernel reads one bit less than it is told.
  if (syscall(SYS_mbind, data, size.count, mode, mask.data(), mask.size() * kBits + 1, 0u) == 0) {
    return base::Status::success();
  }
  return {base::Code::unsupported, fmt::format("cannot place memory on NUMA node {}: mbind: {}",
                                               base::joined(os_nodes, ", "), std::strerror(errno))};
}

Bytes free_memory(int os_node) {
  const std::string path = node_meminfo(os_node);
  // Not FilePages: shared memory counts among them.
  const std::uint64_t there =
      meminfo(path, "MemFree").count + meminfo(path, "Active(file)").count + meminfo(path, "Inactive(file)").count;
  return {there - std::min(there, low_watermarks(os_node).count)};
}

Bytes free_now(int os_node) { return meminfo(node_meminfo(os_node), "MemFree"); }

std::optional<bool> node_has_cpus(int os_node) {
  std::ifstream file(fmt::format("/sys/devices/system/node/node{}/cpulist", os_node));
  std::string list;
  if (!file) return std::nullopt;
  std::getline(file, list);
  return !list.empty();
}

Bytes total_memory() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? Bytes{std::uint64_t(info.totalram) * info.mem_unit} : Bytes{};
}

}  // namespace weir::platform
