// SPDX-License-Identifier: Apache-2.0

#include "weir/loop_affinity.hpp"

#include "check/hooks.hpp"
#include "runtime/loop_pieces.hpp"
#include "weir/error.hpp"
#include "weir/runtime.hpp"

namespace weir {

LoopAffinity::LoopAffinity() : pieces_(new detail::LoopPieces) {}
LoopAffinity::~LoopAffinity() { delete pieces_; }

namespace detail {

namespace {

LoopPieces& enter(LoopPieces*& pieces) {
  if (pieces == nullptr) pieces = new LoopPieces;  // it was moved from
  if (!pieces->enter())
    throw Error(
        "a loop with a LoopAffinity that another loop uses at this time: give each loop that may run at the same "
        "time one of its own");
  return *pieces;
}

}  // namespace

LoopTurn::LoopTurn(LoopAffinity& affinity, std::uint32_t pieces)
    : pieces_(enter(affinity.pieces_)), watched_(check::active()) {
  try {
    pieces_.begin(pieces, static_cast<std::uint32_t>(fork_width()));
  } catch (...) {
    pieces_.leave();
    throw;
  }
}
LoopTurn::~LoopTurn() { pieces_.leave(); }

LoopWalk::LoopWalk(const LoopTurn& turn) noexcept
    : pieces_(turn.pieces_), worker_(static_cast<std::uint32_t>(current_worker())) {
  if (pieces_.all_taken()) {
    own_ = others_ = pieces_.count();
    return;
  }
  while (first_ < pieces_.count() && !pieces_.belongs_to(first_, worker_)) ++first_;
  own_ = first_;
}

// Its own upwards, those of others downwards from before its first: from the end of a neighbour's, who gets there last.
bool LoopWalk::next() noexcept {
  const std::uint32_t count = pieces_.count();
  for (; own_ < count; ++own_) {
    if (!pieces_.take(own_, worker_, true)) continue;
    piece_ = own_++;
    return true;
  }
  while (others_ < count) {
    piece_ = (first_ + count - 1 - others_++) % count;
    if (pieces_.take(piece_, worker_, false)) return true;
  }
  pieces_.note_all_taken();
  return false;
}

}  // namespace detail

}  // namespace weir
