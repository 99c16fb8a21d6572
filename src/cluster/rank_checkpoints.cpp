// SPDX-License-Identifier: Apache-2.0

#include "cluster/rank_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <utility>

#include "checkpoint/pieces.hpp"
#include "cluster/move_tile.hpp"
#include "cluster/reduce_tile.hpp"
#include "cluster/spread.hpp"
#include "runtime/value_or_throw.hpp"
#include "runtime/watch.hpp"
#include "weir/error.hpp"
#include "weir/keep.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster {

using checkpoint::Course;
using checkpoint::ImageItem;
using checkpoint::ImageWriter;
using detail::RankedTile;
using detail::RanksState;

using runtime::ok_or_throw;
using runtime::value_or_throw;

namespace {

std::string name_of(const RankedTile& tile) {
  return tile.name.empty() ? fmt::format("tile {} of an array without a name", tile.id.tile) : tile.name;
}

// What a program does about a gather() that cannot be repeated.
constexpr const char* kLeaveOut =
    "Leave out this gather(), and what is done with its memory, while ranks.is_restarting(); or keep the memory on all "
    "ranks (weir::Keep)";

std::uint64_t key_of(const RankedTile& tile) { return std::uint64_t{tile.id.array} << 32 | tile.id.tile; }

void write_tile(ImageWriter& to, std::size_t item, std::span<const std::byte> bytes) {
  checkpoint::for_each_piece(bytes,
                             [&](std::size_t at, std::span<const std::byte> piece) { to.write(item, at, piece); });
}

}  // namespace

std::unique_ptr<RankCheckpoints> RankCheckpoints::open(RanksState& state, const Options& options) {
  if (options.checkpoint.empty() && options.restart.empty()) return nullptr;
  const Course::Settings settings{options.checkpoint, options.checkpoint_every, options.restart,
                                  static_cast<std::uint32_t>(state.self()), state.transport->ranks()};
  return std::make_unique<RankCheckpoints>(state, value_or_throw(Course::open(settings)));
}

RankCheckpoints::RankCheckpoints(RanksState& state, std::unique_ptr<Course> course)
    : state_(state), course_(std::move(course)), word_(*state.runtime, 1, "checkpoint word") {}

RankCheckpoints::~RankCheckpoints() {
  if (!state_.exchange->has_failed()) course_->report_end();
}

// ---- What the program spawns ----

// Tasks that write no tile are not compared: a program may have some for each rank, and how many ranks there are may
// have changed.
bool RankCheckpoints::skips(const detail::RankedFootprint& footprint) {
  for (const Access* const item : footprint.written()) course_->note_written(footprint.name(), item->region);
  if (footprint.written_count() > footprint.written().size())
    course_->refuse(
        fmt::format("a task writes {} variables, more than {}", footprint.written_count(), footprint.written().size()));
  if (footprint.writes_own_block())
    course_->refuse(
        "a task of Ranks::spawn() writes a block of runtime(), of one rank alone: make it a distributed array");
  const auto& items = footprint.items();
  if (std::any_of(items.begin(), items.end(), [](const auto& item) { return writes(item.mode); })) {
    course_->note_task(footprint.name());
    for (const detail::RankedItem& item : items) {
      course_->note_item(key_of(*item.tile), static_cast<unsigned>(item.mode));
      if (writes(item.mode)) note_write(*item.tile);
    }
  } else if (course_->restarting() && footprint.written_count() == 0) {
    course_->note_skipped_reader(footprint.name());
  }
  return course_->restarting();
}

void RankCheckpoints::note_write(RankedTile& tile) {
  ++tile.writes;
  if (tile.gathered != 0 && !overwritten_) overwritten_ = {name_of(tile), tile.gathered};
  tile.gathered = 0;
}

// Memory that is kept is given its values at the next wait, as other variables are.
bool RankCheckpoints::gather(RankedTile* tile, const detail::GatherTo& to, const detail::CopyTile& copy) {
  if (tile == nullptr) {
    course_->refuse("gather() is given an array of one rank alone: make it a distributed array");
  } else if (Rank{static_cast<std::uint32_t>(to.root)} == state_.self() &&
             !course_->variables().covers(to.first, to.bytes)) {
    if (course_->restarting()) copy_from_past(*tile, copy);
    tile->gathered = course_->point() + 1;
  }
  return course_->restarting();
}

void RankCheckpoints::copy_from_past(const RankedTile& tile, const detail::CopyTile& copy) {
  const checkpoint::Past& past = course_->past();
  const std::uint64_t wait = course_->point() + 1, end = past.record().at.point;
  const ImageItem* const item = past.find(key_of(tile));
  if (item == nullptr)
    throw Error(fmt::format("gather() of {} before wait {}: {} is of wait {}, when the array was no more. {}",
                            name_of(tile), wait, past.path(), end, kLeaveOut));
  if (item->writes != tile.writes)
    throw Error(
        fmt::format("gather() of {} before wait {}: {} tasks have written it by then, and {} when {} was made at wait "
                    "{}, which has no older contents. {}",
                    name_of(tile), wait, tile.writes, item->writes, past.path(), end, kLeaveOut));
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> room((tile.bytes + sizeof(Line) - 1) / sizeof(Line));
  const auto contents = std::as_writable_bytes(std::span(room)).first(tile.bytes);
  ok_or_throw(value_or_throw(past.contents(key_of(tile), tile.name, tile.bytes)).read_all(contents));
  copy(contents.data());
}

// ---- At a wait ----

std::vector<std::shared_ptr<std::vector<RankedTile>>> RankCheckpoints::arrays() {
  std::vector<std::shared_ptr<std::vector<RankedTile>>> live;
  std::erase_if(arrays_, [&](const auto& array) {
    auto tiles = array.lock();
    if (tiles != nullptr) live.push_back(std::move(tiles));
    return array.expired();
  });
  return live;
}

bool RankCheckpoints::share(bool wanted) {
  const TileVersion what{{kNoArray, 0}, ++words_};
  std::uint64_t word = 0;
  if (state_.self() == Rank{0}) {
    state_.runtime->spawn(out(word_), [wanted](std::span<std::uint64_t> to) { to[0] = wanted ? 1 : 0; });
  } else {
    const Rank from = told_by(Rank{0}, state_.self(), state_.transport->ranks());
    begin_receive(state_, word_.base(), {what, from, state_.self()});
  }
  spread(Rank{0}, state_.self(), state_.transport->ranks(), [&](Rank to) {
    begin_send(state_, word_.base(), {what, state_.self(), to});
  });
  state_.runtime->spawn(in(word_), [&word](std::span<const std::uint64_t> from) { word = from[0]; });
  state_.runtime->wait();
  return word != 0;
}

void RankCheckpoints::at_wait(bool asked) {
  if (value_or_throw(course_->arrive()) == Course::Next::restore) {
    try {
      return restore();
    } catch (...) {
      course_->note_unrestored(runtime::text_of(std::current_exception()));
      throw;
    }
  }
  if (course_->restarting() || !course_->writes()) return;
  bool wanted = asked || course_->is_due();
  if (state_.self() == Rank{0} && wanted) {
    if (const base::Status status = course_->begin(); !status) {
      course_->give_up(status);
      wanted = false;
    }
  }
  if (share(wanted)) write();
}

// Ranks that are as many as before each have the tiles again whose newest version they had: so what they accumulate
// from here on is added in the same order.
Rank RankCheckpoints::reader_of(const RankedTile& tile) const {
  const checkpoint::Past& past = course_->past();
  return past.record().ranks == state_.transport->ranks() ? Rank{past.writer_of(key_of(tile))} : tile.versions.owner();
}

void RankCheckpoints::restore() {
  for (const auto& tiles : arrays()) {
    for (RankedTile& tile : *tiles) {
      const checkpoint::Contents from = value_or_throw(course_->past().claim(key_of(tile), tile.name, tile.bytes));
      const Rank reader = reader_of(tile);
      state_.copies->note_write(tile, reader);
      if (reader != state_.self()) continue;
      state_.copies->need_block(tile);
      state_.runtime->spawn(name("restart"), detail::block_item<Mode::out, std::byte>(tile.block()),
                            [from](std::span<std::byte> to) { ok_or_throw(from.read_all(to)); });
    }
  }
  ok_or_throw(course_->past().check_all_claimed());
  state_.runtime->wait();
  ok_or_throw(
      state_.progress->barrier(Meeting::barrier));  // a rank that cannot go on says why on all: none ends before
  course_->end_restart();
}

// Blocks of one rank alone.
void RankCheckpoints::check_blocks() {
  std::size_t known = 1 + state_.copies->spare_count();  // and word_
  for (const auto& tiles : arrays())
    for (const RankedTile& tile : *tiles)
      known += (tile.block() != nullptr) + tile.part.has_value() + tile.arrived.has_value();
  if (runtime::block_count(*state_.runtime) > known)
    course_->refuse("blocks were made in runtime(), for one rank alone: make them distributed arrays");
}

// What a program finds out at a restart otherwise, when the time that it has run for is gone.
void RankCheckpoints::report_overwritten() {
  if (!overwritten_ || is_reported_) return;
  is_reported_ = true;
  std::fprintf(
      stderr,
      "weir: a restart has to do without gather() of %s before wait %llu: the tile was written afterwards, and "
      "checkpoints have no older contents. %s\n",
      overwritten_->tile.c_str(), static_cast<unsigned long long>(overwritten_->wait), kLeaveOut);
}

void RankCheckpoints::write() {
  check_blocks();
  ok_or_throw(course_->possible());
  report_overwritten();
  std::vector<RankedTile*> own;
  const auto arrays = this->arrays();
  for (const auto& tiles : arrays) {
    for (RankedTile& tile : *tiles) {
      if (tile.versions.writer() == state_.self()) own.push_back(&tile);
    }
  }
  const base::Status written = write_image(own);
  if (!written && state_.self() != Rank{0}) course_->give_up(written);
  ok_or_throw(state_.progress->barrier(Meeting::barrier));
  course_->restart_clock();
  if (state_.self() != Rank{0}) return;
  const base::Status status = written ? course_->publish() : written;
  if (status.code == base::Code::unsupported) throw Error(status.message);
  if (!status) course_->give_up(status);
}

base::Status RankCheckpoints::write_image(const std::vector<RankedTile*>& tiles) {
  std::vector<ImageItem> items;
  items.reserve(tiles.size());
  for (const RankedTile* const tile : tiles)
    items.push_back({.key = key_of(*tile), .bytes = tile->bytes, .name = tile->name, .writes = tile->writes});
  base::Result<std::unique_ptr<ImageWriter>> image = course_->open_image(std::move(items));
  const base::Status& status = image.status();
  for (std::size_t i = 0; status && i < tiles.size(); ++i) {
    state_.runtime->spawn(name("checkpoint"), detail::block_item<Mode::in, const std::byte>(tiles[i]->block()),
                          [to = image->get(), i](std::span<const std::byte> bytes) { write_tile(*to, i, bytes); });
  }
  state_.runtime->wait();
  return status ? course_->finish_image(**image) : status;
}

}  // namespace weir::cluster

namespace weir::detail {

checkpoint::Variables* kept_variables(Ranks& ranks) {
  const RanksState& state = *ranks.state_;
  if (state.checkpoints == nullptr) return nullptr;
  if (std::this_thread::get_id() != state.maker)
    throw Error("weir::Keep is made by another thread than the one that made the ranks");
  return &state.checkpoints->variables();
}

}  // namespace weir::detail
