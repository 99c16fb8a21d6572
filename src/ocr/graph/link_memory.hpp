// SPDX-License-Identifier: Apache-2.0

// LinkMemory: the links of one worker: free ones, and the memory of all. A link may be given back to another worker's.
// One thread; its memory lives as long as it does.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ocr/objects/event.hpp"

namespace weir::ocr {

class LinkMemory {
 public:
  // Throws std::bad_alloc.
  Link& take() {
    if (free_ == nullptr) [[unlikely]]
      add_slab();
    Link* const link = free_;
    free_ = reinterpret_cast<Link*>(link->next);
    return *link;
  }
  void give(Link& link) noexcept { link.next = reinterpret_cast<Node>(std::exchange(free_, &link)); }

 private:
  [[gnu::noinline]] void add_slab() {
    constexpr std::size_t kSlab = 128;
    slabs_.push_back(std::make_unique<Link[]>(kSlab));
    for (std::size_t i = 0; i < kSlab; ++i) give(slabs_.back()[i]);
  }

  Link* free_ = nullptr;
  std::vector<std::unique_ptr<Link[]>> slabs_;
};

}  // namespace weir::ocr
