// SPDX-License-Identifier: Apache-2.0

// Memory in a guest, as the kernel tells it without Weir, and a way to fill a node: the yardstick of placement.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace weir::guest {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// The node of every page of [data, data + bytes), in order; negative for a page that was not touched.
std::vector<int> nodes_of_pages(const void* data, std::size_t bytes);
// The distinct ones.
std::set<int> nodes_under(const void* data, std::size_t bytes);

std::size_t free_on_node(int os_node);

// Takes a node's memory until only `spare` bytes are free there, and gives it back at the end.
class FullNode {
 public:
  FullNode(int os_node, std::size_t spare);
  ~FullNode();
  FullNode(const FullNode&) = delete;
  FullNode& operator=(const FullNode&) = delete;

 private:
  void* data_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

// Puts the process under a memory limit (cgroup version 2), and takes it away at the end. `in_force` is false where the
// guest's kernel has no such groups.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(std::size_t bytes);
  ~MemoryCgroup();
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  bool in_force() const noexcept { return in_force_; }
  std::size_t used() const;
  std::size_t kills() const;  // by the kernel, for want of memory

 private:
  bool in_force_ = false;
};

}  // namespace weir::guest
