// SPDX-License-Identifier: Apache-2.0

// Adopted: the memory of programs that is blocks now, so that no byte becomes a part of two.
//
// By address: two of which one lies within the rows of the other may overlap or not, which is looked at exactly. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "data/block.hpp"

namespace weir::data {

// Whether some byte is in both; `a` and `b` are where they begin.
bool overlap(const detail::BlockLayout& a, const void* a_begin, const detail::BlockLayout& b,
             const void* b_begin) noexcept;

class Adopted {
 public:
  // All of an adopted block (Block::program). A block that it overlaps; null: there is none.
  const Block* find(const Block& block) const noexcept;
  void add(const Block& block);
  void remove(const Block& block) noexcept;

 private:
  struct Known {
    const Block* block;
    const void* begin;
  };
  std::multimap<std::uintptr_t, Known> by_begin_;
  std::size_t longest_ = 0;  // from begin to end, of any that there has been
};

}  // namespace weir::data
