// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/block_heap.hpp"

#include <algorithm>

namespace weir::ocr {

BlockHeap* make_heap(std::uint64_t bytes) {
  auto* const heap = new BlockHeap;
  if (bytes != 0) heap->free.emplace(0, bytes);
  return heap;
}

std::optional<std::uint64_t> allocate(BlockHeap& heap, std::uint64_t bytes) {
  if (bytes > ~std::uint64_t{0} - 15) return std::nullopt;
  const std::uint64_t wanted = (std::max<std::uint64_t>(bytes, 1) + 15) / 16 * 16;
  const std::lock_guard lock(heap.mutex);
  for (auto hole = heap.free.begin(); hole != heap.free.end(); ++hole) {
    // The last piece of a block need not be a multiple of 16.
    const std::uint64_t taken = hole->second < wanted && hole->second >= bytes ? hole->second : wanted;
    if (taken > hole->second) continue;
    const std::uint64_t offset = hole->first, left = hole->second - taken;
    heap.free.erase(hole);
    if (left != 0) heap.free.emplace(offset + taken, left);
    heap.used.emplace(offset, taken);
    return offset;
  }
  return std::nullopt;
}

bool free(BlockHeap& heap, std::uint64_t offset) {
  const std::lock_guard lock(heap.mutex);
  const auto found = heap.used.find(offset);
  if (found == heap.used.end()) return false;
  std::uint64_t bytes = found->second;
  heap.used.erase(found);
  const auto after = heap.free.lower_bound(offset);
  if (after != heap.free.end() && after->first == offset + bytes) {
    bytes += after->second;
    heap.free.erase(after);
  }
  const auto next = heap.free.lower_bound(offset);
  if (next != heap.free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return true;
    }
  }
  heap.free.emplace(offset, bytes);
  return true;
}

}  // namespace weir::ocr
