// SPDX-License-Identifier: Apache-2.0

// Commons: the memory in which the ranks of a host know of one another (layout.hpp), as one of them maps it. Made or
// attached to once, at the start; any thread.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "memory/shared_backing.hpp"
#include "transport/shared/layout.hpp"

namespace weir::transport::shared {

class Commons {
 public:
  // Rank 0 makes it; the others get its descriptor, which they hand over.
  static base::Result<Commons> make(std::uint32_t ranks);
  static base::Result<Commons> attach(int descriptor, Rank rank, std::uint32_t ranks);

  Rank rank() const noexcept { return rank_; }
  std::uint32_t ranks() const noexcept { return ranks_; }
  int descriptor() const noexcept { return memory_->descriptor(); }

  Head& head() const noexcept { return *at<Head>(0); }
  RankLine& line(Rank rank) const noexcept { return at<RankLine>(layout_.lines())[static_cast<std::uint32_t>(rank)]; }
  RankLine& own_line() const noexcept { return line(rank_); }
  GatherSlot& slot(Rank rank) const noexcept {
    return at<GatherSlot>(layout_.slots())[static_cast<std::uint32_t>(rank)];
  }

 private:
  Commons(std::unique_ptr<memory::SharedBacking> memory, Rank rank, std::uint32_t ranks) noexcept
      : memory_(std::move(memory)), rank_(rank), ranks_(ranks), layout_(ranks) {}
  template <class T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(memory_->data() + offset);
  }

  std::unique_ptr<memory::SharedBacking> memory_;
  Rank rank_;
  std::uint32_t ranks_;
  Layout layout_;
};

}  // namespace weir::transport::shared
