// SPDX-License-Identifier: Apache-2.0

// NodeSlabs: nodes that stay where they are, side by side in the order in which they are asked for.
//
// Slabs double up to kLargest, and from kLarge on ask for large pages: what is in flight is looked at in another order
// than it was made, and with a million nodes on small pages every look costs the translation of an address, too. A node
// is made when it is first asked for and lives as long as all. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <vector>

#include "platform/pages.hpp"
#include "platform/prefetch.hpp"

namespace weir::island {

template <class Node>
class NodeSlabs {
 public:
  NodeSlabs() = default;
  NodeSlabs(const NodeSlabs&) = delete;
  NodeSlabs& operator=(const NodeSlabs&) = delete;
  ~NodeSlabs() {
    for (const Slab& slab : slabs_) std::destroy_n(slab.start(), slab.made);
  }

  // The next in the order in which they lie. Throws std::bad_alloc.
  Node& next() {
    if (next_ == end_) [[unlikely]]
      enter_slab();
    if (next_ == made_end_) {
      ::new (next_) Node;
      ++slabs_[current_].made;
      ++made_end_;
    }
    platform::prefetch_to_write(next_ + kAhead);
    return *next_++;
  }
  // The first is the next. What nodes hold stays.
  void rewind() noexcept {
    next_ = end_ = made_end_ = nullptr;
    current_ = kNone;
  }
  // Calls f(node) for each that was made.
  template <class F>
  void for_each(F f) const {
    for (const Slab& slab : slabs_) std::for_each_n(slab.start(), slab.made, f);
  }

 private:
  static constexpr std::size_t kFirst = std::size_t{16} << 10, kLarge = std::size_t{4} << 20,
                               kLargest = std::size_t{32} << 20;
  static constexpr std::size_t kAhead = 8;  // nodes fetched before they are asked for: bench/micro/graph_bench
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Slab {
    platform::Pages pages;
    std::size_t made = 0;
    Node* start() const noexcept { return static_cast<Node*>(pages.data()); }
    Node* end() const noexcept { return start() + pages.size().count / sizeof(Node); }
  };

  [[gnu::noinline]] void enter_slab() {
    if (current_ + 1 == slabs_.size()) add_slab();
    const Slab& slab = slabs_[++current_];
    next_ = slab.start();
    made_end_ = next_ + slab.made;
    end_ = slab.end();
  }
  void add_slab() {
    const std::size_t bytes = slabs_.empty() ? kFirst : std::min(kLargest, 2 * slabs_.back().pages.size().count);
    auto pages = platform::Pages::map({bytes}, std::nullopt,
                                      bytes < kLarge ? platform::PageSize::small : platform::PageSize::large);
    if (!pages) throw std::bad_alloc();
    slabs_.push_back({std::move(*pages)});
  }

  std::vector<Slab> slabs_;
  std::size_t current_ = kNone;  // the slab of next_
  Node* next_ = nullptr;
  Node* made_end_ = nullptr;  // of the current slab: nodes before have been made
  Node* end_ = nullptr;
};

}  // namespace weir::island
