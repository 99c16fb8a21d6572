// SPDX-License-Identifier: Apache-2.0

#include "island/heap.hpp"

#include <algorithm>
#include <iterator>

namespace weir::island {

Heap::Heap(std::byte* start, std::size_t bytes) : start_(start), bytes_(bytes / kLine * kLine) {
  if (bytes_ != 0) free_.emplace(0, bytes_);
}

Heap::Piece Heap::allocate(std::size_t bytes) {
  if (bytes > bytes_) return {};
  const std::size_t wanted = std::max((bytes + kLine - 1) / kLine * kLine, kLine);
  const auto piece = std::find_if(free_.begin(), free_.end(), [&](const auto& p) { return p.second >= wanted; });
  if (piece == free_.end()) return {};
  const auto [offset, room] = *piece;
  live_.emplace(offset, wanted);
  free_.erase(piece);
  if (room > wanted) free_.emplace(offset + wanted, room - wanted);
  used_ += wanted;
  const bool used_before = offset < fresh_;
  fresh_ = std::max(fresh_, offset + wanted);
  return {start_ + offset, wanted, used_before};
}

bool Heap::give_back(void* memory) {
  const auto found = live_.find(static_cast<std::size_t>(static_cast<std::byte*>(memory) - start_));
  if (found == live_.end()) return false;
  auto [offset, size] = *found;
  live_.erase(found);
  used_ -= size;
  auto after = free_.lower_bound(offset);
  if (after != free_.end() && after->first == offset + size) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += size;
      return true;
    }
  }
  free_.emplace(offset, size);
  return true;
}

std::size_t Heap::largest_free() const noexcept {
  std::size_t largest = 0;
  for (const auto& [offset, size] : free_) largest = std::max(largest, size);
  return largest;
}

}  // namespace weir::island
