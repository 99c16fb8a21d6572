// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/rank_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checkpoint/bytes.hpp"
#include "ocr/edts/spread.hpp"
#include "ocr/image/format.hpp"
#include "ocr/image/item.hpp"
#include "ocr/objects/affinities.hpp"
#include "ocr/objects/become_rank.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::Decoder;
using checkpoint::Encoder;
using checkpoint::Past;

struct RankState {
  bool spreads = false;  // no hint has placed an EDT or a block yet
  MostAffinities affinities;
  Share share;
};

std::string encode(const RankState& state) {
  Encoder to;
  to << std::uint8_t{state.spreads} << state.affinities.ranks << state.affinities.count
     << std::uint64_t{state.share.homes.size()};
  for (const HomeRun& run : state.share.homes) to << run.first << run.home;
  to << std::uint64_t{state.share.stretches.size()};
  for (const Stretch& stretch : state.share.stretches) {
    for (const std::uint64_t next : stretch.next) to << next;
    to << stretch.end;
  }
  return to.text();
}

// Each run begins after the one before, with one of `ranks` as its home.
bool is_division(const std::vector<HomeRun>& homes, std::uint32_t ranks) noexcept {
  const auto is_late = [](const HomeRun& one, const HomeRun& next) { return one.first >= next.first; };
  return !homes.empty() && homes.front().first == 0 && homes.back().first < kParts &&
         std::adjacent_find(homes.begin(), homes.end(), is_late) == homes.end() &&
         std::all_of(homes.begin(), homes.end(), [&](const HomeRun& run) { return run.home < ranks; });
}

std::optional<RankState> decode(const std::string& text, std::uint32_t ranks) {
  Decoder from(text);
  RankState state;
  std::uint8_t spreads = 0;
  std::uint64_t count = 0;
  from >> spreads >> state.affinities.ranks >> state.affinities.count >> count;
  state.spreads = spreads != 0;
  for (std::uint64_t i = 0; i < count && from.good(); ++i) {
    HomeRun& run = state.share.homes.emplace_back();
    from >> run.first >> run.home;
  }
  from >> count;
  for (std::uint64_t i = 0; i < count && from.good(); ++i) {
    Stretch& stretch = state.share.stretches.emplace_back();
    for (std::uint64_t& next : stretch.next) from >> next;
    from >> stretch.end;
  }
  if (!from.good() || !from.at_end() || state.share.stretches.empty()) return std::nullopt;
  return is_division(state.share.homes, ranks) ? std::optional(std::move(state)) : std::nullopt;
}

Result<RankState> read(Past& image) {
  const Result<std::string> text = read_item(image, kRankKey, kRankName);
  if (!text) return text.status();
  std::optional<RankState> state = decode(*text, image.record().ranks);
  if (state) return std::move(*state);
  return Status{Code::bad_input,
                fmt::format("{}: what it says of rank {} contradicts itself: the checkpoint is damaged", image.path(),
                            image.writer())};
}

}  // namespace

// On one rank no hint says where anything is to be, so a run that goes on with more may still spread EDTs.
std::string write_rank_state() { return encode({!is_spread() || is_spreading(), most_affinities(), parts_now()}); }

Status take_rank_states(const std::vector<std::unique_ptr<Past>>& images) {
  const std::uint32_t past = images.front()->record().ranks, ranks = homes().ranks;
  RankState own;
  Division division;
  for (const std::unique_ptr<Past>& image : images) {
    Result<RankState> state = read(*image);
    if (!state) return state.status();
    if (image == images.front()) own = *state;
    own.spreads = own.spreads && state->spreads;
    division.stretches.push_back(std::move(state->share.stretches));
  }
  note_past_affinities(own.affinities);
  if (!own.spreads) end_spread();
  if (past != ranks) {
    division.homes = std::move(own.share.homes);
    std::optional<Division> now = divide_again(division, ranks);
    if (!now) {
      return {Code::no_space,
              fmt::format("{}: {} rank{} wrote it, and the GUIDs that it has not given yet are too few for {}: go on "
                          "with fewer",
                          images.front()->path(), past, past == 1 ? "" : "s", ranks)};
    }
    own.share = {std::move(now->homes), std::move(now->stretches[homes().here])};
  }
  take_parts(own.share);
  return Status::success();
}

}  // namespace weir::ocr
