// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/submission.hpp"

#include <algorithm>
#include <cstring>

namespace weir::checkpoint {

// Eight bytes at a time.
void Submission::mix_text(std::string_view text) noexcept {
  for (std::size_t done = 0; done < text.size(); done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + done, std::min(text.size() - done, sizeof word));
    mix(word);
  }
}

const Submission::Mark& Submission::note_point() {
  ++now_.point;
  if (now_.point % stride_ != 0) return now_;
  marks_.push_back(now_);
  if (marks_.size() < kMostMarks) return now_;
  stride_ *= 2;
  std::erase_if(marks_, [this](const Mark& mark) { return mark.point % stride_ != 0; });
  return now_;
}

}  // namespace weir::checkpoint
