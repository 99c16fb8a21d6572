// SPDX-License-Identifier: Apache-2.0

// Parts of arrays: which member computes which of them, and how they come here from members whose memory is not mapped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "shmem/group/group.hpp"

namespace weir::shmem {

struct Part {
  std::size_t begin = 0, end = 0;  // elements
};

// The part of one of `workers` in `count` elements: lines of cache are not shared, unless there are fewer than workers.
inline Part part_of(std::size_t count, std::size_t element, unsigned worker, unsigned workers) noexcept {
  const std::size_t line = std::max<std::size_t>(1, base::kDestructiveSize / element);
  const std::size_t lines = (count + line - 1) / line;
  const std::size_t begin = lines * worker / workers * line, end = lines * (worker + 1) / workers * line;
  return {std::min(begin, count), std::min(end, count)};
}

// How much is worked on at a time: it stays in the first cache.
inline constexpr std::size_t kBlockBytes = 8192;

struct alignas(base::kDestructiveSize) Block {
  std::byte bytes[kBlockBytes];
};

// `bytes` at `symmetric` of a member: where they are, or in `buffer`.
inline const std::byte* read_block(Group& group, const std::byte* symmetric, unsigned member, std::size_t bytes,
                                   Block& buffer) {
  if (const std::byte* const there = group.source_at(symmetric, bytes, member); there != nullptr) return there;
  group.reach().get_nbi(buffer.bytes, symmetric, bytes, group.pe(member));
  group.reach().quiet();
  return buffer.bytes;
}

// Seen by the member after quiet(). What is not mapped is to stay until then.
inline void write_block(Group& group, std::byte* symmetric, unsigned member, const std::byte* from, std::size_t bytes) {
  if (std::byte* const there = group.at(symmetric, member); there != nullptr) {
    std::memcpy(there, from, bytes);
  } else {
    group.reach().put_nbi(symmetric, from, bytes, group.pe(member));
  }
}

}  // namespace weir::shmem
