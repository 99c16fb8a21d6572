// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/gathered.hpp"

#include <algorithm>
#include <utility>

namespace weir::ocr {

using base::Code;
using base::Status;
using checkpoint::kPieceBytes;

// All pieces but the last of the item are of one size, which the file wants.
void Gathered::add(std::span<const std::byte> contents) {
  while (!contents.empty()) {
    if (piece_ == nullptr) piece_ = pieces_.take();
    const auto fitting = contents.first(std::min(contents.size(), kPieceBytes - gathered_));
    std::copy(fitting.begin(), fitting.end(), piece_ + gathered_);
    gathered_ += fitting.size();
    contents = contents.subspan(fitting.size());
    if (gathered_ == kPieceBytes) end();
  }
}

void Gathered::end() {
  if (gathered_ == 0) return;
  pieces_.keep(std::exchange(piece_, nullptr), item_, kept_, gathered_);
  kept_ += std::exchange(gathered_, 0);
}

Status Scattered::take(std::span<std::byte> to) {
  while (!to.empty()) {
    if (left_.empty())
      if (Status status = read(); !status) return status;
    const auto part = left_.first(std::min(left_.size(), to.size()));
    std::copy(part.begin(), part.end(), to.begin());
    left_ = left_.subspan(part.size());
    to = to.subspan(part.size());
  }
  return Status::success();
}

Status Scattered::check() const {
  return at_ == bytes_ && left_.empty() ? from_.check(sum_)
                                        : Status{Code::bad_input, "the checkpoint has contents of more data blocks"};
}

Status Scattered::read() {
  piece_.resize(std::min<std::uint64_t>(kPieceBytes, bytes_ - at_));
  if (piece_.empty()) return {Code::bad_input, "the checkpoint has more data blocks than contents of such"};
  Status status = from_.read(at_, piece_, sum_);
  at_ += piece_.size();
  left_ = piece_;
  return status;
}

}  // namespace weir::ocr
