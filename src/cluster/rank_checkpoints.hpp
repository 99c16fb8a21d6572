// SPDX-License-Identifier: Apache-2.0

// RankCheckpoints: ranks that write a checkpoint together, or go on from one.
//
// Each rank writes the tiles of which it has the newest version, whichever rank owns them, to a file of its own; rank 0
// says when, and makes the whole valid once all have written. A run that goes on reads a tile where its newest version
// was, or, on another number of ranks, on its owner. The thread that spawns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/course.hpp"
#include "cluster/ranks_state.hpp"
#include "cluster/tile.hpp"
#include "weir/block.hpp"
#include "weir/detail/ranked.hpp"
#include "weir/options.hpp"

namespace weir::cluster {

class RankCheckpoints {
 public:
  // Null: the options ask for none. Throws weir::Error.
  static std::unique_ptr<RankCheckpoints> open(detail::RanksState& state, const Options& options);
  RankCheckpoints(detail::RanksState& state, std::unique_ptr<checkpoint::Course> course);
  ~RankCheckpoints();

  void note_array(const std::shared_ptr<std::vector<detail::RankedTile>>& tiles) { arrays_.emplace_back(tiles); }
  // A task of all ranks. True: it has run before the checkpoint, and does not now.
  bool skips(const detail::RankedFootprint& footprint);
  // As detail::gather_from_checkpoint().
  bool gather(detail::RankedTile* tile, const detail::GatherTo& to, const detail::CopyTile& copy);
  // Collective: the tasks of this rank have ended. Throws weir::Error.
  void at_wait(bool asked);

  bool is_restarting() const noexcept { return course_->restarting(); }
  checkpoint::Variables& variables() noexcept { return course_->variables(); }

 private:
  void note_write(detail::RankedTile& tile);
  // What the tile has in the checkpoint, which is what it has here.
  void copy_from_past(const detail::RankedTile& tile, const detail::CopyTile& copy);
  Rank reader_of(const detail::RankedTile& tile) const;
  void restore();
  void write();
  void report_overwritten();
  base::Status write_image(const std::vector<detail::RankedTile*>& tiles);
  void check_blocks();
  // What rank 0 says, on all ranks.
  bool share(bool wanted);
  std::vector<std::shared_ptr<std::vector<detail::RankedTile>>> arrays();

  detail::RanksState& state_;
  const std::unique_ptr<checkpoint::Course> course_;
  std::vector<std::weak_ptr<std::vector<detail::RankedTile>>> arrays_;
  Block<std::uint64_t> word_;  // by which rank 0 says whether one is to be written
  std::uint32_t words_ = 0;
  // Of the first gather() to this rank that a restart cannot repeat, since a tile was written afterwards.
  struct Overwritten {
    std::string tile;
    std::uint64_t wait;  // before which it was
  };
  std::optional<Overwritten> overwritten_;
  bool is_reported_ = false;
};

}  // namespace weir::cluster
