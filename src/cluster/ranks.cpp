// SPDX-License-Identifier: Apache-2.0

// The library's side of Ranks: what include/weir/ranks.hpp and detail/ranked.hpp declare.
#include "weir/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/joined.hpp"
#include "cluster/move_tile.hpp"
#include "cluster/open_ranks.hpp"
#include "cluster/rank_checkpoints.hpp"
#include "cluster/reduce_tile.hpp"
#include "cluster/tile.hpp"
#include "runtime/value_or_throw.hpp"
#include "runtime/watch.hpp"
#include "weir/error.hpp"

namespace weir {

using cluster::Move;
using detail::RankedItem;
using detail::RankedTile;
using detail::RanksState;

namespace {

// The calling thread may use it here.
bool is_callers(const RanksState& state) noexcept {
  return std::this_thread::get_id() == state.maker && !runtime::is_in_task(*state.runtime);
}

void check_caller(const RanksState& state) {
  if (std::this_thread::get_id() != state.maker) [[unlikely]]
    throw Error("Ranks is used by another thread than the one that made it: all ranks have to spawn in one order");
  if (runtime::is_in_task(*state.runtime)) [[unlikely]]
    throw Error(
        "Ranks is used in a task: its calls are made outside of tasks, by all ranks in one order. What a task spawns "
        "is of its rank alone: give it to Ranks::runtime(), or spawn it where the task was spawned");
}

void check_usable(const RanksState& state) {
  if (state.exchange->has_failed()) [[unlikely]]
    throw Error(state.exchange->failure());
  check_caller(state);
}

// What f() throws is a failure of all ranks: some of them may wait by now for what this one does not send.
template <class F>
decltype(auto) announcing(RanksState& state, const F& f) {
  try {
    return f();
  } catch (...) {
    state.exchange->announce_own_failure(runtime::text_of(std::current_exception()));
    throw;
  }
}

// What f() throws is refused because of the call's arguments, which are the same on all ranks: those refuse it, too,
// and go on. Where they do not, all are told.
template <class F>
decltype(auto) refusing(RanksState& state, const F& f) {
  try {
    return f();
  } catch (...) {
    state.exchange->refuse(runtime::text_of(std::current_exception()));
    throw;
  }
}

// What one pass over a footprint tells of it.
struct Outline {
  const RankedTile* written = nullptr;  // the first that the task writes and does not accumulate into
  const RankedTile* used = nullptr;     // the first that it does not accumulate into
  bool reduces = false;                 // it accumulates, or uses what ranks accumulate into
};

Outline outline_of(std::span<const RankedItem> items) noexcept {
  Outline outline;
  for (const RankedItem& item : items) {
    outline.reduces |= item.mode == Mode::reduce || item.tile->parts.reduction() != nullptr;
    if (item.mode == Mode::reduce) continue;
    if (outline.used == nullptr) outline.used = item.tile;
    if (outline.written == nullptr && writes(item.mode)) outline.written = item.tile;
  }
  return outline;
}

[[gnu::noinline]] Rank asked_place(const RanksState& state, int rank) {
  if (rank >= 0 && static_cast<std::uint32_t>(rank) < state.transport->ranks())
    return Rank{static_cast<std::uint32_t>(rank)};
  throw Error(fmt::format("on_rank({}): there are {} ranks, numbered from 0", rank, state.transport->ranks()));
}

Rank place_of(const RanksState& state, const detail::RankedFootprint& footprint, const Outline& outline) {
  if (const auto asked = footprint.on_rank()) return asked_place(state, *asked);
  if (outline.written != nullptr) return outline.written->versions.owner();
  if (outline.used != nullptr) return outline.used->versions.owner();
  if (!footprint.items().empty()) return footprint.items().front().tile->versions.owner();
  throw Error(
      "a task of Ranks::spawn() names no tile of a distributed array and no rank: add on_rank(), or spawn it "
      "with runtime()");
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

[[gnu::noinline]] void move_tile(RanksState& state, RankedTile& tile, Rank where, Move move) {
  cluster::Versions& versions = tile.versions;
  const cluster::TileVersion what{tile.id, versions.newest(), versions.drops(state.self(), where)};
  const cluster::Passing passing{.what = what, .from = versions.writer(), .to = where, .name = tile.name.c_str()};
  if (move == Move::send) return cluster::begin_send(state, tile.block(), passing);
  state.copies->need_block(tile);
  cluster::begin_receive(state, tile.block(), passing);
}

void plan_read(RanksState& state, RankedTile& tile, Rank where) {
  const cluster::Move move = tile.versions.note_read(state.self(), where);
  state.copies->note_read(tile, where);
  if (move != Move::none) move_tile(state, tile, where, move);
}

// All that is read before anything that is written: a task may name a tile twice.
void plan(RanksState& state, std::span<const RankedItem> items, Rank where) {
  state.copies->begin_task(items, where);
  for (const RankedItem& item : items)
    if (item.mode != Mode::out && item.mode != Mode::reduce) plan_read(state, *item.tile, where);
  for (const RankedItem& item : items) {
    if (item.mode == Mode::reduce) continue;
    if (where == state.self() && item.tile->block() == nullptr) state.copies->need_block(*item.tile);
    if (writes(item.mode)) state.copies->note_write(*item.tile, where);
  }
}

[[gnu::noinline]] void plan_reductions(RanksState& state, std::span<const RankedItem> items, Rank where) {
  for (const RankedItem& item : items) {
    if (item.reduction != item.tile->parts.reduction()) cluster::end_reduce(state, *item.tile);
  }
  for (const RankedItem& item : items) {
    if (item.mode == Mode::reduce) cluster::begin_reduce(state, item, where);
  }
}

std::vector<std::size_t> place_in(std::span<const std::size_t> grid, std::size_t index) {
  std::vector<std::size_t> place(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; index /= grid[d]) place[d] = index % grid[d];
  return place;
}

std::string place_text(const char* array, std::size_t index, std::span<const std::size_t> grid) {
  if (array == nullptr || *array == 0) return "";
  return fmt::format("{}[{}]", array, base::joined(place_in(grid, index), ","));
}

// By tile. A function of the program may throw.
std::vector<int> owners_of(const Distribution& distribution, std::size_t tiles, std::span<const std::size_t> grid) {
  std::vector<int> owners(tiles);
  for (std::size_t i = 0; i < tiles; ++i) owners[i] = distribution.owner_of(place_in(grid, i));
  return owners;
}

void check_owners(std::span<const int> owners, std::uint32_t ranks, std::span<const std::size_t> grid) {
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] >= 0 && static_cast<std::uint32_t>(owners[i]) < ranks) continue;
    throw Error(fmt::format("the distribution gives tile [{}] to rank {}: there are {} ranks, numbered from 0",
                            base::joined(place_in(grid, i), ","), owners[i], ranks));
  }
}

cluster::ArrayMark mark_of(std::span<const detail::NewTile> tiles, std::span<const std::size_t> grid,
                           std::span<const int> owners) noexcept {
  cluster::Digest sizes, places;
  for (const std::size_t extent : grid) sizes.add(extent);
  for (const detail::NewTile& tile : tiles) sizes.add(tile.bytes);
  for (const int owner : owners) places.add(static_cast<std::uint64_t>(owner));
  return {sizes.value(), places.value()};
}

// What the ranks know of an array's tiles goes with the array.
struct EndTiles {
  std::weak_ptr<cluster::Copies> copies;
  std::weak_ptr<cluster::OpenReductions> reductions;

  void operator()(std::vector<RankedTile>* tiles) const noexcept {
    const std::unique_ptr<std::vector<RankedTile>> owned(tiles);
    if (const auto still_there = copies.lock()) still_there->end(*tiles);
    if (const auto still_there = reductions.lock()) {
      for (const RankedTile& tile : *tiles)
        if (tile.parts.reduction() != nullptr) still_there->remove(tile);
    }
    for (RankedTile& tile : *tiles)
      if (tile.copy != nullptr) detail::drop_block(tile.block());
  }
};

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
  } catch (...) {
    const std::string text = runtime::text_of(std::current_exception());
    report_end(text);
    state->exchange->announce_own_failure(text);  // nobody else tells it: wait() has taken it
  }
  if (!state->exchange->has_failed()) {
    if (const base::Status status = state->progress->barrier(cluster::Meeting::end); !status)
      report_end(status.message);
  }
  state->checkpoints.reset();
  state->progress.reset();
  state->copies->clear();
  state->copies.reset();
  state->runtime.reset();
  if (state->exchange->has_failed()) return state->transport->leave_alone();
  if (const base::Status status = state->transport->leave(); !status) report_end(status.message);
}

// `asked`: for a checkpoint.
void wait_in(RanksState& state, bool asked) {
  check_caller(state);
  announcing(state, [&] {
    if (!state.exchange->has_failed()) cluster::end_reductions(state);
    state.runtime->wait();
    state.copies->collect();
    if (state.checkpoints != nullptr && !state.exchange->has_failed()) state.checkpoints->at_wait(asked);
  });
  if (state.exchange->has_failed()) throw Error(state.exchange->failure());
}

}  // namespace

namespace detail {

RanksState::RanksState() = default;
RanksState::~RanksState() = default;

const void* tile_here(const RankedTile& tile) noexcept { return tile.here(); }

void drop_copies(RanksState& state, RankedTile* tile) {
  check_usable(state);
  refusing(state, [&] {
    if (tile == nullptr) throw Error("drop_copies() of a tile of an array that is not distributed: it has no copies");
  });
  state.exchange->calls().note_made();
  announcing(state, [&] { state.copies->drop(*tile); });
}

void note_refused(Ranks& ranks) noexcept {
  RanksState& state = *ranks.state_;
  if (!state.exchange->has_failed() && is_callers(state))
    state.exchange->refuse(runtime::text_of(std::current_exception()));
}

bool gather_from_checkpoint(Ranks& ranks, RankedTile* tile, const GatherTo& to, const CopyTile& copy) {
  RanksState& state = *ranks.state_;
  check_usable(state);
  if (state.checkpoints == nullptr) return false;
  refusing(state, [&] { static_cast<void>(asked_place(state, to.root)); });
  return announcing(state, [&] { return state.checkpoints->gather(tile, to, copy); });
}

void announce_failed_spawn(RanksState& state) noexcept {
  state.exchange->announce_own_failure(runtime::text_of(std::current_exception()));
}

int owner_of(const RankedTile& tile) noexcept { return static_cast<int>(tile.versions.owner()); }

bool plan_task(RanksState& state, const RankedFootprint& footprint) {
  check_usable(state);
  const Outline outline = outline_of(footprint.items());
  const Rank where = refusing(state, [&] {
    if (outline.reduces) [[unlikely]]
      check_reductions(footprint);
    return place_of(state, footprint, outline);
  });
  state.exchange->calls().note_made();
  if (state.checkpoints != nullptr && state.checkpoints->skips(footprint)) return false;
  announcing(state, [&] {
    if (outline.reduces) [[unlikely]]
      plan_reductions(state, footprint.items(), where);
    plan(state, footprint.items(), where);
  });
  return where == state.self();
}

std::shared_ptr<void> share_tiles(Ranks& ranks, std::span<const NewTile> tiles, std::span<const std::size_t> grid,
                                  const Distribution& distribution, const char* name) {
  RanksState& state = *ranks.state_;
  check_usable(state);
  const std::vector<int> owners = announcing(state, [&] { return owners_of(distribution, tiles.size(), grid); });
  refusing(state, [&] { check_owners(owners, state.transport->ranks(), grid); });
  state.exchange->calls().note_made();
  return announcing(state, [&] {
    state.exchange->note_array(mark_of(tiles, grid, owners), name == nullptr ? "" : name);
    std::shared_ptr<std::vector<RankedTile>> shared(new std::vector<RankedTile>,
                                                    EndTiles{state.copies, state.reductions});
    shared->reserve(tiles.size());
    const std::uint32_t array = state.arrays++;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const Rank owner{static_cast<std::uint32_t>(owners[i])};
      shared->push_back({cluster::Versions(state.self(), owner),
                         tiles[i].place,
                         tiles[i].bytes,
                         {array, static_cast<std::uint32_t>(i)},
                         place_text(name, i, grid)});
      *tiles[i].ranked = &shared->back();
      if (owner == state.self()) state.copies->need_block(shared->back());
    }
    if (state.checkpoints != nullptr) state.checkpoints->note_array(shared);
    return shared;
  });
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
  runtime::ok_or_throw(state_->progress->barrier(cluster::Meeting::barrier));
}

Ranks::Traffic Ranks::traffic() const noexcept {
  const cluster::Traffic::Count sent = state_->traffic.sent(), received = state_->traffic.received();
  return {sent.tiles, sent.bytes, received.tiles, received.bytes};
}

}  // namespace weir
