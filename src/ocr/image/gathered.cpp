// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/gathered.hpp"

#include <algorithm>
#include <new>

namespace weir::ocr {

using base::Code;
using base::Status;
using checkpoint::kPieceBytes;

namespace {

constexpr std::align_val_t kPage{4096};
constexpr std::size_t kMostPieces = 32;

}  // namespace

Gathered::Gathered(checkpoint::ImageWriter& to, std::size_t item) : to_(to), item_(item) {
  pieces_.push_back(make_piece());
}

Gathered::Piece Gathered::make_piece() { return Piece(static_cast<std::byte*>(::operator new(kPieceBytes, kPage))); }

void Gathered::Free::operator()(std::byte* bytes) const noexcept { ::operator delete(bytes, kPage); }

void Gathered::add(std::span<const std::byte> contents) {
  while (!contents.empty()) {
    if (gathered_ == kPieceBytes) {
      if (pieces_.size() == kMostPieces) flush();
      pieces_.push_back(make_piece());
      gathered_ = 0;
    }
    const auto fitting = contents.first(std::min(contents.size(), kPieceBytes - gathered_));
    std::copy(fitting.begin(), fitting.end(), pieces_.back().get() + gathered_);
    gathered_ += fitting.size();
    contents = contents.subspan(fitting.size());
  }
}

// All pieces but the last of the item are of one size, which the file wants.
void Gathered::flush() {
  for (const Piece& piece : pieces_) {
    const std::size_t bytes = &piece == &pieces_.back() ? gathered_ : kPieceBytes;
    if (bytes != 0) to_.write(item_, done_, std::span(piece.get(), bytes));
    done_ += bytes;
  }
  pieces_.clear();
  gathered_ = kPieceBytes;  // none has room
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
