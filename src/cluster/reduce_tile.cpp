// SPDX-License-Identifier: Apache-2.0

#include "cluster/reduce_tile.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/move_tile.hpp"
#include "weir/block.hpp"

namespace weir::cluster {

using detail::RankedItem;
using detail::RankedTile;
using detail::RanksState;

namespace {

const Block<std::byte>& made(RanksState& state, const RankedTile& tile, std::optional<Block<std::byte>>& block,
                             const char* what) {
  const std::string name = tile.name.empty() ? "" : tile.name + what;
  if (!block) block.emplace(*state.runtime, tile.bytes, name.c_str());
  return *block;
}

void begin_copy(RanksState& state, const RankedItem& item) {
  const auto* const first = static_cast<const std::byte*>(item.identity);
  state.runtime->spawn(
      name("begin part"), out(made(state, *item.tile, item.tile->part, " part")),
      [reduction = item.reduction, identity = std::vector<std::byte>(first, first + item.reduction->element_bytes)](
          std::span<std::byte> copy) { reduction->fill(copy.data(), copy.size(), identity.data()); });
}

// The copy of another rank, as it was sent, into what this rank has.
void fold_arrived(RanksState& state, RankedTile& tile, const detail::TileReduction& reduction, const Passing& part) {
  const Block<std::byte>& arrived = made(state, tile, tile.arrived, " part of another rank");
  begin_receive(state, arrived.base(), part);
  state.runtime->spawn(name("fold part"), Priority::urgent, in(arrived),
                       detail::block_item<Mode::inout, std::byte>(detail::block_to_reduce(tile)),
                       [&reduction](std::span<const std::byte> from, std::span<std::byte> to) {
                         reduction.fold(to.data(), from.data(), to.size());
                       });
}

}  // namespace

void begin_reduce(RanksState& state, const RankedItem& item, Rank where) {
  RankedTile& tile = *item.tile;
  if (tile.parts.reduction() == nullptr) state.reductions->add(tile);
  const bool begins = tile.parts.note(*item.reduction, tile.versions.writer(), where);
  if (where != state.self()) return;
  tile.has_newest = where == tile.versions.writer();
  if (tile.has_newest) {
    state.copies->need_block(tile);
  } else if (begins) {
    begin_copy(state, item);
  }
}

void end_reduce(RanksState& state, RankedTile& tile) {
  const detail::TileReduction* const reduction = tile.parts.reduction();
  if (reduction == nullptr) return;
  const Rank self = state.self(), writer = tile.versions.writer();
  tile.has_newest = self == writer;
  state.reductions->remove(tile);
  for (const Parts::Fold& fold : tile.parts.close(writer)) {
    state.copies->note_write(tile, writer);  // each copy that is sent has a number of its own
    const Passing part{
        {tile.id, tile.versions.newest()}, fold.from, fold.into, trace::RankMessage::part, tile.name.c_str()};
    if (fold.from == self) begin_send(state, tile.part->base(), part);
    if (fold.into == self) fold_arrived(state, tile, *reduction, part);
  }
  state.copies->note_write(tile, writer);
}

void end_reductions(RanksState& state) {
  while (RankedTile* const tile = state.reductions->any()) end_reduce(state, *tile);
}

}  // namespace weir::cluster

namespace weir::detail {

BlockBase* block_to_reduce(const RankedTile& tile) noexcept {
  return tile.has_newest ? tile.block() : tile.part->base();
}

}  // namespace weir::detail
