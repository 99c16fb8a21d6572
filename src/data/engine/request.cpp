// SPDX-License-Identifier: Apache-2.0

#include "data/engine/request.hpp"

#include "base/check.hpp"

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

}  // namespace weir::data::engine
