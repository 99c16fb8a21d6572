// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/submission.hpp"

namespace weir::checkpoint {

void Submission::note_task(std::string_view name) noexcept {
  ++now_.tasks;
  std::uint64_t text = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) text = (text ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  mix(text);
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
