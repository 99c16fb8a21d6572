// SPDX-License-Identifier: Apache-2.0

// What the ranks of a host keep in memory that they all map: who is there, where they sleep, where they meet, and what
// they pass around. Zeros at the start; made by rank 0 in one memfd.
//
// Addresses differ from process to process, so nothing here is a pointer. Any rank may end at any instruction: no word
// here is a lock that somebody must give back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/layout.hpp"

namespace weir::transport::shared {

enum class Presence : std::uint32_t { absent, here, left, lost };

// One for each rank.
struct RankLine {
  // Its own rank's, but for `lost`, which any rank says of it.
  alignas(base::kDestructiveSize) std::atomic<Presence> presence;
  std::atomic<std::uint32_t> pid;
  std::atomic<std::uint64_t> life;  // platform::life_of() it; 0: not known

  // Where its threads sleep (Sleeping): rung by whoever makes something true that they may wait for.
  alignas(base::kDestructiveSize) std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleepers;
};

// All ranks pass it together.
struct Meeting {
  alignas(base::kDestructiveSize) std::atomic<std::uint32_t> arrived;
  alignas(base::kDestructiveSize) std::atomic<std::uint32_t> round;  // how often all have passed
};

// What a rank contributes to all_gather(), piece by piece.
struct GatherSlot {
  static constexpr std::size_t kData = 4096 - 8;
  std::uint64_t total;  // of the whole call, which must be the same on every rank
  std::array<std::byte, kData> data;
};

// What the receiver says of a ring from one rank to another (ring.hpp).
struct RingEnd {
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> taken;  // bytes since the start
  // The sender waits for room. Set by it, taken back by the receiver, which then rings.
  std::atomic<std::uint32_t> is_full;
};

struct Head {
  static constexpr std::uint32_t kEnding = std::uint32_t{1} << 31;

  std::atomic<std::uint32_t> first_lost;  // the first rank found gone, plus one; 0: none
  std::atomic<std::uint32_t> ending;      // kEnding and the exit status, once a rank aborts
  // When somebody last looked whether all are alive, nanoseconds of the monotonic clock.
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> looked_ns;
  Meeting meeting;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(RankLine) == 2 * base::kDestructiveSize);

// Where things are in the common memory of so many ranks. Pages come when they are touched: a ring that nobody uses is
// addresses only.
class Layout {
 public:
  explicit Layout(std::uint32_t ranks) noexcept : ranks_(ranks) {}
  std::size_t lines() const noexcept { return kPage; }
  std::size_t slots() const noexcept { return pages(lines() + ranks_ * sizeof(RankLine)); }
  std::size_t senders() const noexcept { return pages(slots() + ranks_ * sizeof(GatherSlot)); }
  std::size_t ends() const noexcept { return pages(senders() + ranks_ * sender_bytes()); }
  std::size_t rings() const noexcept { return pages(ends() + pairs() * sizeof(RingEnd)); }
  Bytes size() const noexcept { return {pages(rings() + pairs() * ring_bytes())}; }

  // Of the set of senders that a rank has, one bit each, and the number of its threads that poll behind them, as
  // senders read both; whole lines of cache.
  std::size_t sender_words() const noexcept { return (ranks_ + 63) / 64; }
  std::size_t sender_bytes() const noexcept {
    return ((sender_words() + 1) * 8 + base::kDestructiveSize - 1) / base::kDestructiveSize * base::kDestructiveSize;
  }
  // A power of two: all rings to a rank are 1 MiB, unless they were smaller than 16 KiB or larger than 64 KiB then.
  std::uint32_t ring_bytes() const noexcept {
    std::uint32_t bytes = kLargestRing;
    while (bytes > kSmallestRing && std::uint64_t{bytes} * ranks_ > kRingsOfARank) bytes /= 2;
    return bytes;
  }

 private:
  static constexpr std::uint32_t kSmallestRing = 16 << 10, kLargestRing = 64 << 10, kRingsOfARank = 1 << 20;
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t pages(std::size_t bytes) noexcept { return (bytes + kPage - 1) / kPage * kPage; }
  static_assert(sizeof(Head) <= kPage && sizeof(GatherSlot) == kPage);

  std::size_t pairs() const noexcept { return std::size_t{ranks_} * ranks_; }

  std::uint32_t ranks_;
};

}  // namespace weir::transport::shared
