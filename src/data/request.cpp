#include "data/request.hpp"

namespace weir::data {

namespace {

// Of two modes for one block in one footprint.
Mode stronger(Mode a, Mode b) noexcept { return a == b ? a : Mode::inout; }

}  // namespace

void Request::add(Block& block, Mode mode) noexcept {
  for (Use& use : uses()) {
    if (use.block == &block) {
      use.mode = stronger(use.mode, mode);
      use.fresh = use.mode == Mode::out;
      return;
    }
  }
  Use& use = (many_ != nullptr ? many_.get() : few_)[count_++];
  use.block = &block;
  use.request = this;
  use.mode = mode;
  use.fresh = mode == Mode::out;
}

}  // namespace weir::data
