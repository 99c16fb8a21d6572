// SPDX-License-Identifier: Apache-2.0

// The library's side of Ranks: what include/weir/ranks.hpp and detail/ranked.hpp declare.
#include "weir/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/move_tile.hpp"
#include "cluster/open_ranks.hpp"
#include "cluster/rank_checkpoints.hpp"
#include "cluster/reduce_tile.hpp"
#include "cluster/tile.hpp"
#include "runtime/watch.hpp"
#include "weir/error.hpp"

namespace weir {

using cluster::Move;
using detail::RankedItem;
using detail::RankedTile;
using detail::RanksState;

namespace {

void check_usable(const RanksState& state) {
  if (state.exchange->has_failed()) [[unlikely]]
    throw Error(state.exchange->failure());
  if (std::this_thread::get_id() != state.maker) [[unlikely]]
    throw Error("Ranks is used by another thread than the one that made it: all ranks have to spawn in one order");
}

Rank place_of(const RanksState& state, const detail::RankedFootprint& footprint) {
  if (footprint.on_rank() != detail::kOwner) {
    if (footprint.on_rank() >= 0 && static_cast<std::uint32_t>(footprint.on_rank()) < state.transport->ranks())
      return Rank{static_cast<std::uint32_t>(footprint.on_rank())};
    throw Error(
        fmt::format("on_rank({}): there are {} ranks, numbered from 0", footprint.on_rank(), state.transport->ranks()));
  }
  const auto has_owner = [&](auto which) -> std::optional<Rank> {
    const auto found = std::find_if(footprint.items().begin(), footprint.items().end(), which);
    if (found == footprint.items().end()) return std::nullopt;
    return found->tile->versions.owner();
  };
  const auto owner = has_owner([](const RankedItem& item) { return writes(item.mode) && item.mode != Mode::reduce; });
  if (owner) return *owner;
  if (footprint.items().empty())
    throw Error(
        "a task of Ranks::spawn() names no tile of a distributed array and no rank: add on_rank(), or spawn it "
        "with runtime()");
  return has_owner([](const RankedItem& item) { return item.mode != Mode::reduce; })
      .value_or(footprint.items().front().tile->versions.owner());
}

// What a task accumulates into is named once.
void check_reductions(const detail::RankedFootprint& footprint) {
  for (const RankedItem& reduced : footprint.items()) {
    if (reduced.mode != Mode::reduce) continue;
    for (const RankedItem& item : footprint.items()) {
      if (&item == &reduced || item.tile != reduced.tile) continue;
      throw Error(
          fmt::format("a task names tile {} of a distributed array in reduce() and in another item: what it "
                      "accumulates into may be a copy. Read or write the tile in another task",
                      reduced.tile->name.empty() ? fmt::to_string(reduced.tile->id.tile) : reduced.tile->name));
    }
  }
}

void plan_read(RanksState& state, RankedTile& tile, Rank where) {
  const cluster::Move move = tile.versions.note_read(state.self(), where);
  if (move == Move::none) return;
  const cluster::Passing passing{{tile.id, tile.versions.newest()}, tile.versions.writer(), where};
  if (move == Move::send) return cluster::begin_send(state, *tile.block, passing);
  cluster::need_block(state, tile);
  cluster::begin_receive(state, *tile.block, passing);
}

void plan(RanksState& state, const detail::RankedFootprint& footprint, Rank where) {
  for (const RankedItem& item : footprint.items()) {
    if (item.reduction != item.tile->parts.reduction()) cluster::end_reduce(state, *item.tile);
  }
  for (const RankedItem& item : footprint.items()) {
    if (item.mode == Mode::reduce) {
      cluster::begin_reduce(state, item, where);
    } else if (item.mode != Mode::out) {
      plan_read(state, *item.tile, where);
    }
  }
  for (const RankedItem& item : footprint.items()) {
    if (item.mode == Mode::reduce) continue;
    if (where == state.self()) cluster::need_block(state, *item.tile);
    if (writes(item.mode)) item.tile->versions.note_write(state.self(), where);
  }
}

std::string place_text(const char* array, std::size_t index, std::span<const std::size_t> grid) {
  if (array == nullptr || *array == 0) return "";
  std::vector<std::size_t> place(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; index /= grid[d]) place[d] = index % grid[d];
  return fmt::format("{}[{}]", array, fmt::join(place, ","));
}

Rank checked_owner(const RanksState& state, const Distribution& distribution, std::size_t index,
                   std::span<const std::size_t> grid) {
  std::vector<std::size_t> place(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; index /= grid[d]) place[d] = index % grid[d];
  const int owner = distribution.owner_of(place);
  if (owner >= 0 && static_cast<std::uint32_t>(owner) < state.transport->ranks())
    return Rank{static_cast<std::uint32_t>(owner)};
  throw Error(fmt::format("the distribution gives tile [{}] to rank {}: there are {} ranks, numbered from 0",
                          fmt::join(place, ","), owner, state.transport->ranks()));
}

// The process goes on: what others wait for fails there, and they say why.
void report_end(const std::string& text) noexcept { std::fprintf(stderr, "weir: %s\n", text.c_str()); }

void end_ranks(RanksState* owned) {
  const std::unique_ptr<RanksState> state(owned);
  if (std::uncaught_exceptions() > state->exceptions) {
    state->exchange->announce_failure(
        fmt::format("rank {} has left its tasks because of an exception", static_cast<std::uint32_t>(state->self())));
  }
  try {
    state->runtime->wait();
  } catch (const std::exception& error) {
    report_end(error.what());
  }
  if (!state->exchange->has_failed()) static_cast<void>(state->progress->barrier());
  state->checkpoints.reset();
  state->progress.reset();
  state->runtime.reset();
  if (state->exchange->has_failed()) return;
  if (const base::Status status = state->transport->leave(); !status) report_end(status.message);
}

// `asked`: for a checkpoint.
void wait_in(RanksState& state, bool asked) {
  try {
    state.runtime->wait();
    if (state.checkpoints != nullptr && !state.exchange->has_failed()) state.checkpoints->at_wait(asked);
  } catch (...) {
    state.exchange->announce_own_failure(runtime::text_of(std::current_exception()));
    throw;
  }
  if (state.exchange->has_failed()) throw Error(state.exchange->failure());
}

}  // namespace

namespace detail {

RanksState::RanksState() = default;
RanksState::~RanksState() = default;

int owner_of(const RankedTile& tile) noexcept { return static_cast<int>(tile.versions.owner()); }

bool plan_task(RanksState& state, const RankedFootprint& footprint) {
  check_usable(state);
  const Rank where = place_of(state, footprint);
  check_reductions(footprint);
  if (state.checkpoints != nullptr && state.checkpoints->skips(footprint)) return false;
  try {
    plan(state, footprint, where);
  } catch (...) {
    state.exchange->announce_own_failure(runtime::text_of(std::current_exception()));
    throw;
  }
  return where == state.self();
}

std::shared_ptr<void> share_tiles(Ranks& ranks, std::span<const NewTile> tiles, std::span<const std::size_t> grid,
                                  const Distribution& distribution, const char* name) {
  RanksState& state = *ranks.state_;
  check_usable(state);
  auto shared = std::make_shared<std::vector<RankedTile>>();
  shared->reserve(tiles.size());
  const std::uint32_t array = state.arrays++;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Rank owner = checked_owner(state, distribution, i, grid);
    shared->push_back({cluster::Versions(state.self(), owner),
                       tiles[i].block,
                       tiles[i].bytes,
                       {array, static_cast<std::uint32_t>(i)},
                       place_text(name, i, grid)});
    *tiles[i].ranked = &shared->back();
    if (owner == state.self()) cluster::need_block(state, shared->back());
  }
  if (state.checkpoints != nullptr) state.checkpoints->note_array(shared);
  return shared;
}

}  // namespace detail

Ranks::Ranks(const Options& options) : state_(cluster::open_ranks(options).release(), end_ranks) {}
Ranks::~Ranks() = default;

int Ranks::rank() const noexcept { return static_cast<int>(state_->self()); }
int Ranks::size() const noexcept { return static_cast<int>(state_->transport->ranks()); }
Runtime& Ranks::runtime() noexcept { return *state_->runtime; }

void Ranks::wait() { wait_in(*state_, false); }
void Ranks::checkpoint() { wait_in(*state_, true); }
bool Ranks::is_restarting() const noexcept {
  return state_->checkpoints != nullptr && state_->checkpoints->is_restarting();
}

void Ranks::barrier() {
  wait();
  if (const base::Status status = state_->progress->barrier(); !status) throw Error(status.message);
}

Ranks::Traffic Ranks::traffic() const noexcept {
  const cluster::Exchange::Traffic& from = state_->exchange->traffic();
  return {from.tiles_sent.load(), from.bytes_sent.load(), from.tiles_received.load(), from.bytes_received.load()};
}

}  // namespace weir
