// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/image.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "ocr/blocks/keeping.hpp"
#include "ocr/image/in_place.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

using base::Result;
using base::Status;
using checkpoint::for_each_piece;
using checkpoint::ImageWriter;
using checkpoint::kPieceBytes;

namespace {

// How long there may be no room for a block: EDTs give room up when they run, not while the program stands still.
constexpr auto kPatience = std::chrono::seconds(2), kPatienceAmongEdts = std::chrono::seconds(60);

std::uint64_t pieces_of(std::uint64_t bytes) noexcept { return (bytes + kPieceBytes - 1) / kPieceBytes; }

}  // namespace

Image::~Image() { let_go(kept_.size()); }

// ---- While the program stands still ----

Status Image::take() {
  Result<Frontier> frontier = write_frontier(local_ != nullptr);
  if (!frontier) return frontier.status();
  std::fflush(stdout);  // what was printed before is not printed again
  frontier_ = std::move(*frontier);
  list(frontier_.blocks, frontier_.first_kept);
  if (!fits_in_memory())
    if (Status status = open(); !status) return status;
  for (const Source& each : copied_)
    if (Status status = copy(each); !status) return status;
  if (kept_.empty()) return Status::success();
  program_.set_keeps_blocks(true);
  for (const Source& each : kept_) keep_contents(*each.block);
  keeping_ = kept_.size();
  return Status::success();
}

// What is gathered is one item, in the order of the frontier.
void Image::list(const std::vector<Block*>& blocks, std::size_t first_kept) {
  items_ = {{kFrontierKey, frontier_.bytes.size(), kFrontierName},
            {kGatheredKey, 0, kGatheredName},
            {kRankKey, frontier_.rank_state.size(), kRankName}};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = *blocks[i];
    std::size_t item = kGatheredItem;
    if (is_gathered(block.size)) {
      items_[kGatheredItem].bytes += block.size;
    } else {
      item = items_.size();
      items_.push_back({block.guid().bits, block.size, name_of_item(block.guid().bits)});
    }
    (i < first_kept ? copied_ : kept_).push_back({&block, item});
  }
  for (std::vector<Source>* const sources : {&copied_, &kept_})
    std::stable_partition(sources->begin(), sources->end(),
                          [](const Source& each) { return each.item == kGatheredItem; });
}

bool Image::fits_in_memory() const noexcept {
  std::uint64_t small = 0, pieces = 0;
  for (const Source& each : copied_) {
    if (each.item == kGatheredItem)
      small += each.block->size;
    else
      pieces += pieces_of(each.block->size);
  }
  return (pieces + pieces_of(small)) * kPieceBytes <= Pieces::kMostBytes;
}

Status Image::open() {
  Result<std::unique_ptr<ImageWriter>> opened = course_.open_image(std::move(items_));
  if (!opened) return opened.status();
  file_ = std::move(*opened);
  pieces_.set_file(*file_);
  return Status::success();
}

Status Image::copy(const Source& from) {
  if (const auto newer = frontier_.coming_back.find(from.block); newer != frontier_.coming_back.end()) {
    put(from, newer->second);
    return Status::success();
  }
  return with_contents(*from.block, kPatience, [&](std::span<const std::byte> contents) { put(from, contents); });
}

void Image::put(const Source& to, std::span<const std::byte> contents) {
  if (to.item == kGatheredItem) return small_.add(contents);
  for_each_piece(contents, [&](std::size_t at, std::span<const std::byte> part) {
    std::byte* const piece = pieces_.take();
    std::copy(part.begin(), part.end(), piece);
    pieces_.keep(piece, to.item, at, part.size());
  });
}

// ---- Afterwards ----

// Blocks that are kept come first: EDTs may wait for them.
Status Image::write() {
  if (file_ == nullptr)
    if (Status status = open(); !status) return status;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (Status status = write_kept(kept_[i]); !status) return status;
    let_go(i + 1);
  }
  small_.end();
  pieces_.write_kept();
  file_->write(kFrontierItem, 0, std::as_bytes(std::span(frontier_.bytes)));
  file_->write(kRankItem, 0, std::as_bytes(std::span(frontier_.rank_state)));
  return course_.finish_image(*file_);
}

Status Image::write_kept(const Source& from) {
  return with_contents(*from.block, kPatienceAmongEdts, [&](std::span<const std::byte> contents) {
    if (from.item == kGatheredItem) return small_.add(contents);
    for_each_piece(contents,
                   [&](std::size_t at, std::span<const std::byte> part) { file_->write(from.item, at, part); });
  });
}

// Those before `end`, of kept_.
void Image::let_go(std::size_t end) {
  if (keeping_ == 0) return;
  for (std::size_t i = kept_.size() - keeping_; i < end; ++i, --keeping_) end_keeping(*local_, *kept_[i].block);
  local_->worker->flush();  // an EDT that will not run has left its scope
  if (keeping_ == 0) program_.set_keeps_blocks(false);
}

template <class F>
Status Image::with_contents(Block& block, std::chrono::seconds patience, F&& f) {
  if (!block.is_tiered()) {
    f(std::span<const std::byte>(block.small(), block.size));
    return Status::success();
  }
  const InPlace in_place(store_, block.tier(), patience);
  Status status = in_place.status();
  if (status) f(std::span(in_place.address(), block.size));
  return status;
}

}  // namespace weir::ocr
