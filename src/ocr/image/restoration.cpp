// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/restoration.hpp"

#include <fmt/format.h>

#include <new>
#include <span>
#include <string>
#include <utility>

#include "ocr/image/format.hpp"
#include "ocr/image/gathered.hpp"
#include "ocr/image/item.hpp"
#include "ocr/image/rank_state.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

using base::Code;
using base::Result;
using base::Status;

namespace {

// One image that this rank adopts.
class Adoption {
 public:
  Adoption(Local& local, checkpoint::Past& past) noexcept : local_(local), past_(past) {}

  // All but what depends on what: templates, maps, blocks, events and EDTs.
  Result<std::unique_ptr<Revival>> make_objects(KnownSlots& slots) {
    const Result<std::string> frontier = read_item(past_, kFrontierKey, kFrontierName);
    if (!frontier) return frontier.status();
    const Result<ClaimedItem> gathered = claim_item(past_, kGatheredKey, kGatheredName);
    if (!gathered) return gathered.status();
    const Revival::Source source{past_.path(), Rank{past_.writer()}, past_.record().ranks};
    Result<std::unique_ptr<Revival>> revival = Revival::read(local_, source, slots, *frontier);
    if (!revival) return revival;
    if (Status status = restore_blocks(**revival, *gathered); !status) return status;
    if (Status status = (*revival)->make_graph(); !status) return status;
    return revival;
  }

 private:
  Status restore_blocks(Revival& revival, const ClaimedItem& gathered) {
    Scattered small(gathered.contents, gathered.bytes);
    Revival::PastBlock block{};
    for (;;) {
      const Result<bool> there = revival.next_block(block);
      if (!there) return there.status();
      if (!*there) return small.check();
      const std::span contents(block.data, block.bytes);
      Status status = is_gathered(block.bytes) ? small.take(contents) : restore_large(block);
      if (!status) return status;
      revival.end_block(block);
    }
  }

  Status restore_large(const Revival::PastBlock& block) {
    const Result<checkpoint::Contents> contents =
        past_.claim(block.guid.bits, name_of_item(block.guid.bits), block.bytes);
    return contents ? contents->read_all(std::span(block.data, block.bytes)) : contents.status();
  }

  Local& local_;
  checkpoint::Past& past_;
};

}  // namespace

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
                                        images_.front()->path())};
  }
}

bool Restoration::adopts(const checkpoint::Past& image) const noexcept {
  return adopter_of(image.writer(), homes().ranks) == homes().here;
}

Status Restoration::make_objects() {
  if (Status status = take_rank_states(images_); !status) return status;
  for (const std::unique_ptr<checkpoint::Past>& image : images_) {
    if (!adopts(*image)) continue;
    auto revival = Adoption(local_, *image).make_objects(slots_);
    if (!revival) return revival.status();
    revivals_.push_back(std::move(*revival));
  }
  for (const std::unique_ptr<Revival>& revival : revivals_)
    if (Status status = revival->link(); !status) return status;
  publish_(&slots_);
  return Status::success();
}

Status Restoration::make_ready() {
  for (const std::unique_ptr<Revival>& revival : revivals_)
    if (!connect(revival->far_links())) return {Code::lost, "the program ends"};
  for (const std::unique_ptr<Revival>& revival : revivals_) revival->make_ready();
  for (const std::unique_ptr<Revival>& revival : revivals_) revival->destroy_gone();
  return Status::success();
}

}  // namespace weir::ocr
