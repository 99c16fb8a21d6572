// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/books.hpp"

#include <algorithm>

namespace weir::shmem {

using memory::Space;

HeapBooks::HeapBooks(std::size_t capacity, std::uint64_t origin)
    : space_((capacity + Space::kPage - 1) / Space::kPage * Space::kPage), origin_(origin) {
  space_.add(space_.capacity());
}

std::uint64_t HeapBooks::allocate(std::size_t bytes, std::size_t alignment) {
  const bool is_aligned = alignment > Space::kSmall;
  const auto give = [&] {
    return is_aligned ? space_.allocate_aligned(bytes, alignment, origin_) : space_.allocate(bytes);
  };
  std::uint64_t offset = give();
  if (offset == kNowhere) {
    space_.trim();
    offset = give();
  }
  if (offset == kNowhere) return kNowhere;
  const std::size_t charged = is_aligned ? space_.size_of(offset) : Space::charged(bytes);
  pieces_.emplace(offset, Piece{bytes, charged});
  untouched_from_ = std::max(untouched_from_, offset + charged);
  return offset;
}

std::optional<std::size_t> HeapBooks::size_of(std::uint64_t offset) const {
  const auto found = pieces_.find(offset);
  if (found == pieces_.end()) return {};
  return found->second.bytes;
}

std::size_t HeapBooks::release(std::uint64_t offset) {
  const auto found = pieces_.find(offset);
  const std::size_t charged = found->second.charged;
  pieces_.erase(found);
  space_.free(offset, charged);
  return charged;
}

bool HeapBooks::resize(std::uint64_t offset, std::size_t bytes) {
  Piece& piece = pieces_.find(offset)->second;
  if (bytes > space_.capacity()) return false;
  const std::size_t wanted = Space::charged(bytes);
  if (piece.charged >= Space::kPage && wanted >= Space::kPage) {
    if (!space_.resize(offset, piece.charged, wanted)) return false;
    piece = {bytes, wanted};
    untouched_from_ = std::max(untouched_from_, offset + wanted);
    return true;
  }
  // Not when it would keep more than twice of what it needs.
  if (bytes > piece.charged || wanted < piece.charged / 2) return false;
  piece.bytes = bytes;
  return true;
}

std::uint64_t HeapBooks::replace(std::uint64_t offset, std::size_t bytes) {
  if (!space_.has_room_in_place_of(offset, pieces_.find(offset)->second.charged, bytes)) return kNowhere;
  release(offset);
  space_.trim();
  return allocate(bytes, Space::kSmall);
}

bool HeapBooks::is_given(std::uint64_t offset) const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [&](const auto& piece) { return offset - piece.first < piece.second.bytes; });
}

}  // namespace weir::shmem
