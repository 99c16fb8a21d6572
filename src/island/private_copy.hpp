// SPDX-License-Identifier: Apache-2.0

// PrivateCopy: what a task has instead of memory that others write at the same time (private_copies.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "island/heap.hpp"
#include "weir/footprint.hpp"

namespace weir::island {

// Memory of a heap, given back at the end.
struct GiveBack {
  Heap* heap = nullptr;
  void operator()(std::byte* data) const noexcept { static_cast<void>(heap->give_back(data)); }
};
using OwnedPiece = std::unique_ptr<std::byte, GiveBack>;

// Whether a task works on a private copy of what it names so.
constexpr bool needs_private_copy(Mode mode) noexcept { return mode == Mode::concurrent || mode == Mode::reduce; }

struct PrivateCopy {
  Access target;                                              // what was named; its identity and its reduction are gone
  void (*combine)(void* target, const void* copy) = nullptr;  // of reduce
  OwnedPiece piece;                                           // the copy, row behind row
  std::size_t bytes = 0;                                      // of the copy
  std::vector<std::byte> original;                            // concurrent: what it began as; reduce: the identity
};

}  // namespace weir::island
