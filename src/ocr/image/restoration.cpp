// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/restoration.hpp"

#include <fmt/format.h>

#include <new>
#include <span>
#include <string>
#include <utility>

#include "ocr/image/format.hpp"
#include "ocr/image/gathered.hpp"

namespace weir::ocr {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::ImageItem;

// No rank sends anything of the program before all have their objects, and no EDT begins on any before all are done.
Status Restoration::run() {
  Status status = agree_(with_memory([&] { return make_objects(); }));
  if (status) status = agree_(with_memory([&] { return make_ready(); }));
  publish_(nullptr);
  return status;
}

template <class F>
Status Restoration::with_memory(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return {Code::no_space, fmt::format("{}: there is not enough memory for what it has: give the run what the one had "
                                        "which wrote it",
                                        past_.path())};
  }
}

Result<checkpoint::Contents> Restoration::claim(std::uint64_t key, const char* name, std::uint64_t& bytes) {
  const ImageItem* const item = past_.find(key);
  if (item == nullptr || item->name != name)
    return Status{Code::bad_input, fmt::format("{}: it is a checkpoint of no OCR program", past_.path())};
  return past_.claim(key, name, bytes = item->bytes);
}

Status Restoration::make_objects() {
  std::uint64_t frontier_bytes = 0, gathered_bytes = 0;
  const Result<checkpoint::Contents> frontier = claim(kFrontierKey, kFrontierName, frontier_bytes);
  if (!frontier) return frontier.status();
  const Result<checkpoint::Contents> gathered = claim(kGatheredKey, kGatheredName, gathered_bytes);
  if (!gathered) return gathered.status();
  std::string bytes(frontier_bytes, '\0');
  if (Status status = frontier->read_all(std::as_writable_bytes(std::span(bytes))); !status) return status;
  Result<std::unique_ptr<Revival>> revival = Revival::read(local_, past_.path(), bytes);
  if (!revival) return revival.status();
  revival_ = std::move(*revival);
  if (Status status = restore_blocks(*gathered, gathered_bytes); !status) return status;
  Status status = revival_->make_graph();
  publish_(&revival_->slots());
  return status;
}

Status Restoration::restore_blocks(const checkpoint::Contents& gathered, std::uint64_t bytes) {
  Scattered small(gathered, bytes);
  Revival::PastBlock block{};
  for (;;) {
    const Result<bool> there = revival_->next_block(block);
    if (!there) return there.status();
    if (!*there) return small.check();
    const std::span contents(block.data, block.bytes);
    Status status = is_gathered(block.bytes) ? small.take(contents) : restore_large(block);
    if (!status) return status;
    revival_->end_block(block);
  }
}

Status Restoration::restore_large(const Revival::PastBlock& block) {
  const Result<checkpoint::Contents> contents =
      past_.claim(block.guid.bits, name_of_item(block.guid.bits), block.bytes);
  return contents ? contents->read_all(std::span(block.data, block.bytes)) : contents.status();
}

Status Restoration::make_ready() {
  if (!connect(revival_->far_links())) return {Code::lost, "the program ends"};
  revival_->make_ready();
  return Status::success();
}

}  // namespace weir::ocr
