// SPDX-License-Identifier: Apache-2.0

// Commons: the memory in which the ranks of a host know of one another (layout.hpp), as one of them maps it. Made or
// attached to once, at the start; any thread.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "memory/shared_backing.hpp"
#include "transport/shared/layout.hpp"
#include "transport/shared/ring.hpp"

namespace weir::transport::shared {

class Commons {
 public:
  // Rank 0 makes it; the others get its descriptor, which they hand over.
  static base::Result<Commons> make(std::uint32_t ranks);
  static base::Result<Commons> attach(int descriptor, Rank rank, std::uint32_t ranks);
  // The same mapping as another rank sees it: ranks that are threads, in tests of the protocols.
  Commons as(Rank rank) const { return {memory_, rank, ranks_}; }

  Rank rank() const noexcept { return rank_; }
  std::uint32_t ranks() const noexcept { return ranks_; }
  int descriptor() const noexcept { return memory_->descriptor(); }

  Head& head() const noexcept { return *at<Head>(0); }
  RankLine& line(Rank rank) const noexcept { return at<RankLine>(layout_.lines())[index(rank)]; }
  RankLine& own_line() const noexcept { return line(rank_); }
  GatherSlot& slot(Rank rank) const noexcept { return at<GatherSlot>(layout_.slots())[index(rank)]; }
  // Where all rings to a rank are looked at, however few have something.
  bool are_few() const noexcept { return ranks_ <= kFew; }
  // Who has sent something to a rank since it last looked, or rung it, where ranks are few: one bit for each, in words.
  std::span<std::atomic<std::uint64_t>> senders_to(Rank rank) const noexcept {
    return {at<std::atomic<std::uint64_t>>(layout_.senders() + index(rank) * layout_.sender_bytes()),
            layout_.sender_words()};
  }
  // Threads of a rank that look for messages all the time.
  std::atomic<std::uint64_t>& pollers_of(Rank rank) const noexcept {
    return *(senders_to(rank).data() + layout_.sender_words());
  }
  Ring ring(Rank from, Rank to) const noexcept {
    const std::size_t pair = std::size_t{index(to)} * ranks_ + index(from);
    return {at<RingEnd>(layout_.ends())[pair], at<std::byte>(layout_.rings() + pair * layout_.ring_bytes()),
            layout_.ring_bytes()};
  }

 private:
  static constexpr std::uint32_t kFew = 8;

  static std::uint32_t index(Rank rank) noexcept { return static_cast<std::uint32_t>(rank); }

  Commons(std::shared_ptr<memory::SharedBacking> memory, Rank rank, std::uint32_t ranks) noexcept
      : memory_(std::move(memory)), rank_(rank), ranks_(ranks), layout_(ranks) {}
  template <class T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(memory_->data() + offset);
  }

  std::shared_ptr<memory::SharedBacking> memory_;
  Rank rank_;
  std::uint32_t ranks_;
  Layout layout_;
};

}  // namespace weir::transport::shared
