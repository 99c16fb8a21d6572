// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/seeker.hpp"

#include <algorithm>

#include "ocr/objects/home.hpp"

namespace weir::ocr {

void Seeker::look() {
  if (!is_spreading() || program_.shutting_down()) return;
  if (!program_.progress().idle) {
    pause_ = kLeast;
    next_time_ = {};
    return;
  }
  const auto now = Clock::now();
  if (now < next_time_) return;
  if (next_ == homes().here) next_ = (next_ + 1) % homes().ranks;
  ask_for_edts(Rank{next_});
  next_ = (next_ + 1) % homes().ranks;
  next_time_ = now + pause_;
  pause_ = std::min(2 * pause_, kMost);
}

}  // namespace weir::ocr
