// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/pieces.hpp"

#include <algorithm>
#include <new>

namespace weir::ocr {

using checkpoint::kPieceBytes;

namespace {

constexpr std::align_val_t kPage{4096};
constexpr std::size_t kMostPieces = Pieces::kMostBytes / kPieceBytes;

}  // namespace

void Pieces::Free::operator()(std::byte* bytes) const noexcept { ::operator delete(bytes, kPage); }

void Pieces::make() {
  all_.emplace_back(static_cast<std::byte*>(::operator new(kPieceBytes, kPage)));
  free_.push_back(all_.back().get());
}

void Pieces::prepare(std::size_t count) {
  while (all_.size() < std::min(count, kMostPieces)) {
    make();
    for (std::size_t at = 0; at < kPieceBytes; at += std::size_t(kPage)) free_.back()[at] = {};
  }
}

std::byte* Pieces::take() {
  if (free_.empty() && all_.size() >= kMostPieces) write_kept();
  if (free_.empty()) make();
  std::byte* const piece = free_.back();
  free_.pop_back();
  most_ = std::max(most_, all_.size() - free_.size());
  return piece;
}

void Pieces::keep(std::byte* piece, std::size_t item, std::uint64_t offset, std::size_t bytes) {
  kept_.push_back({piece, item, offset, bytes});
}

void Pieces::write_kept() {
  for (const Kept& each : kept_) {
    file_->write(each.item, each.offset, std::span(each.piece, each.bytes));
    free_.push_back(each.piece);
  }
  kept_.clear();
}

}  // namespace weir::ocr
