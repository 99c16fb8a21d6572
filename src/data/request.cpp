// SPDX-License-Identifier: Apache-2.0

#include "data/request.hpp"

#include "data/block.hpp"

namespace weir::data {

namespace {

// Of two modes for one block in one footprint.
Mode stronger(Mode a, Mode b) noexcept { return a == b ? a : Mode::inout; }

}  // namespace

Use* Request::add(Block& block, Mode mode) noexcept {
  for (Use& use : uses()) {
    if (use.block == &block) {
      use.mode = stronger(use.mode, mode);
      use.fresh = use.mode == Mode::out;
      return nullptr;
    }
  }
  Use& use = (many_ != nullptr ? many_.get() : few_)[count_++];
  use.block = &block;
  use.request = this;
  use.mode = mode;
  use.fresh = mode == Mode::out;
  return &use;
}

Use* Request::find(const Block& block) noexcept {
  for (Use& use : uses())
    if (use.block == &block) return &use;
  return nullptr;
}

void Request::remove(Use& use) noexcept {
  Use& last = uses()[count_ - 1];
  if (&use != &last) {
    use = last;
    (use.before != nullptr ? use.before->after : use.block->first_use) = &use;
    (use.after != nullptr ? use.after->before : use.block->last_queued) = &use;
  }
  last = {};
  --count_;
}

}  // namespace weir::data
