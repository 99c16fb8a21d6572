// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/placed_memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::prk {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kAsked = 4096;  // pages that are asked after
constexpr int kMostNodes = 1024;

// Preferred, not bound: a bind to a node that is full kills the process. check() finds what landed elsewhere.
void prefer(void* data, std::size_t size, int node) {
  constexpr int kBits = 8 * int(sizeof(unsigned long));
  std::vector<unsigned long> mask(kMostNodes / kBits);
  mask[std::size_t(node / kBits)] |= 1UL << (node % kBits);
  if (syscall(SYS_mbind, data, size, MPOL_PREFERRED, mask.data(), std::size_t(kMostNodes + 1), 0) != 0)
    throw std::runtime_error("the kernel does not place memory on NUMA node " + std::to_string(node));
}

}  // namespace

PlacedMemory::PlacedMemory(std::size_t bytes, int node)
    : data_(nullptr), size_((bytes + kLargePage - 1) / kLargePage * kLargePage), node_(node) {
  void* data = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::runtime_error("no room for arrays of " + std::to_string(size_) + " bytes");
  data_ = static_cast<std::byte*>(data);
  madvise(data, size_, MADV_HUGEPAGE);
  if (node_ >= 0) prefer(data, size_, node_);
}

PlacedMemory::~PlacedMemory() { munmap(data_, size_); }

void PlacedMemory::check() const {
  if (node_ < 0) return;
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  const std::size_t step = std::max(page, size_ / kAsked / page * page);
  std::vector<void*> pages;
  for (std::size_t at = 0; at < size_; at += step) pages.push_back(data_ + at);
  std::vector<int> nodes(pages.size(), -1);
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
    throw std::runtime_error("the kernel does not tell where pages are");
  const auto there = std::count(nodes.begin(), nodes.end(), node_);
  const auto touched = std::count_if(nodes.begin(), nodes.end(), [](int node) { return node >= 0; });
  if (double(there) < 0.99 * double(touched))
    throw std::runtime_error("only " + std::to_string(there) + " of " + std::to_string(touched) +
                             " pages are on NUMA node " + std::to_string(node_) + "; use smaller arrays");
}

}  // namespace weir::prk
