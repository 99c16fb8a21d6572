// SPDX-License-Identifier: Apache-2.0

#include "data/engine/request.hpp"

#include "base/check.hpp"
#include "data/engine/block.hpp"

namespace weir::data::engine {

namespace {

// Of two modes for one block in one footprint.
Mode stronger(Mode a, Mode b) noexcept { return a == b ? a : Mode::inout; }

}  // namespace

void Request::change_state(RequestState to) noexcept {
  WEIR_CHECK(may_follow(state(), to), "a request takes a step that its state machine does not have");
  state_.store(to);  // ADMIT-1
}

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

}  // namespace weir::data::engine
