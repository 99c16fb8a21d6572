// SPDX-License-Identifier: Apache-2.0

#include "cluster/copies.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/held_task.hpp"
#include "weir/error.hpp"

namespace weir::cluster {

using detail::BlockBase;
using detail::RankedItem;
using detail::RankedTile;

namespace {

bool is_read(const RankedItem& item) noexcept { return item.mode != Mode::out && item.mode != Mode::reduce; }

// What a block is called that is one tile's and then another's.
constexpr const char* kSharedName = "tiles of other ranks";

}  // namespace

// ---- What leaves for what ----

bool Copies::is_kept_in_order(const RankedTile& tile, Rank where) const noexcept {
  const Rank writer = tile.versions.writer();
  return where != writer && where != tile.versions.owner() && (where == self_ || writer == self_);
}

CopyOrder& Copies::order_of(const RankedTile& tile, Rank where) {
  return where == self_ ? here_[static_cast<std::uint32_t>(tile.versions.writer())]
                        : there_[static_cast<std::uint32_t>(where)];
}

void Copies::begin_task_slow(std::span<const RankedItem> items, Rank where) {
  ++task_;
  for (const RankedItem& item : items)
    if (is_read(item) && is_kept_in_order(*item.tile, where))
      order_of(*item.tile, where).use_if_there(*item.tile, task_);
}

void Copies::note_read_slow(RankedTile& tile, Rank where) {
  if (!is_kept_in_order(tile, where)) return;
  CopyOrder& order = order_of(tile, where);
  order.use(tile, tile.bytes, task_);
  while (RankedTile* const oldest = order.one_too_many(most_, task_)) {
    order.remove(*oldest);
    oldest->versions.note_dropped(self_, where);
    if (where == self_) give_up(*oldest);
  }
}

void Copies::note_write_slow(RankedTile& tile, Rank where) {
  if (tile.versions.has_copy(self_)) order_of(tile, self_).remove(tile);
  tile.versions.for_each_copy([&](Rank rank) { order_of(tile, rank).remove(tile); });
  tile.versions.note_write(self_, where);
  if (where != self_) give_up(tile);
}

void Copies::drop(RankedTile& tile) {
  collect();
  const Rank writer = tile.versions.writer(), owner = tile.versions.owner();
  if (writer == self_) {
    tile.versions.for_each_copy([&](Rank rank) {
      if (rank == owner) return;
      if (is_limited()) order_of(tile, rank).remove(tile);
      tile.versions.note_dropped(self_, rank);
    });
  } else if (owner != self_) {
    if (is_limited() && tile.versions.has_copy(self_)) order_of(tile, self_).remove(tile);
    tile.versions.note_dropped(self_, self_);
    give_up(tile);
  }
}

// ---- Blocks ----

// The task comes behind all that use the block as this tile, and what they hold of the tile goes with it. It writes,
// so that contents that are elsewhere are not brought for it.
void Copies::give_up(RankedTile& tile) {
  if (tile.copy == nullptr) return;
  BlockBase* const block = tile.block();
  Handle<> last = runtime_.spawn(name("drop copy"), runtime::kPrompt, detail::block_item<Mode::out, std::byte>(block),
                                 [copy = std::move(tile.copy)] {});
  spares_.push_back({block, tile.id.array, tile.bytes, last});
}

void Copies::need_block(RankedTile& tile) {
  if (tile.block() != nullptr) return;
  const bool is_copy = tile.versions.owner() != self_;
  BlockBase* const block = is_copy ? take_block(tile) : make_block(tile);
  if (is_copy) {
    tile.copy = std::make_unique_for_overwrite<std::byte[]>(tile.place.size());
    std::memcpy(tile.copy.get(), tile.place.data(), tile.place.size());
  }
  std::memcpy(tile.here(), &block, sizeof(void*));
}

// With a limit a block that was dropped, if it has the size; others make way for a new one.
BlockBase* Copies::take_block(const RankedTile& tile) {
  if (!is_limited()) return make_block(tile);
  const auto fitting =
      std::find_if(spares_.begin(), spares_.end(), [&](const Spare& spare) { return spare.bytes == tile.bytes; });
  if (fitting != spares_.end()) {
    BlockBase* const block = fitting->block;
    spares_.erase(fitting);
    return block;
  }
  for (std::size_t freed = 0; freed < tile.bytes && !spares_.empty();) {
    freed += spares_.front().bytes;
    destroy_oldest();
  }
  return make_block(tile);
}

// Where there is no room, that of a dropped one will be, when its tasks have ended.
BlockBase* Copies::make_block(const RankedTile& tile) {
  const char* const name = is_limited() && tile.versions.owner() != self_ ? kSharedName : tile.name.c_str();
  for (;;) {
    try {
      return detail::make_block(runtime_, detail::contiguous(tile.bytes), nullptr, name);
    } catch (const Error&) {
      if (spares_.empty()) throw;
      destroy_oldest();
    }
  }
}

void Copies::destroy_oldest() noexcept {
  BlockBase* const block = spares_.front().block;
  spares_.pop_front();
  detail::drop_block(block);
}

void Copies::collect() noexcept {
  while (!is_limited() && !spares_.empty() && spares_.front().last.finished()) destroy_oldest();
}

void Copies::clear() noexcept {
  while (!spares_.empty()) destroy_oldest();
}

void Copies::end(std::span<RankedTile> tiles) noexcept {
  for (RankedTile& tile : tiles) {
    for (auto* const orders : {&here_, &there_})
      for (auto& [rank, order] : *orders) order.remove(tile);
  }
  std::erase_if(spares_, [&](const Spare& spare) {
    const bool is_of_it = !tiles.empty() && spare.array == tiles.front().id.array;
    if (is_of_it) detail::drop_block(spare.block);
    return is_of_it;
  });
}

}  // namespace weir::cluster
