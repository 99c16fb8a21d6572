// SPDX-License-Identifier: Apache-2.0

// RanksState: what a Ranks owns, in the order in which it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/copies.hpp"
#include "cluster/exchange.hpp"
#include "cluster/open_reductions.hpp"
#include "cluster/progress.hpp"
#include "cluster/staging.hpp"
#include "cluster/tile_trace.hpp"
#include "cluster/traffic.hpp"
#include "launch/joined.hpp"
#include "transport/rank_clock.hpp"
#include "transport/region_memory.hpp"
#include "transport/transport.hpp"
#include "weir/runtime.hpp"

namespace weir::cluster {
class RankCheckpoints;
}  // namespace weir::cluster

namespace weir::detail {

struct RanksState {
  RanksState();
  ~RanksState();

  std::unique_ptr<transport::Transport> transport;
  std::optional<launch::JoinedRank> joined;
  Rank rank{};  // the transport's, which each task that is spawned asks for
  std::unique_ptr<transport::RankClock> clock;
  std::unique_ptr<cluster::Exchange> exchange;
  std::unique_ptr<transport::RegionMemory> memory;
  std::unique_ptr<cluster::Staging> staging;
  std::vector<std::string> receive_names;  // of tasks, by rank: "receive from rank 2"
  std::unique_ptr<Runtime> runtime;
  std::shared_ptr<cluster::Copies> copies;  // ends before the runtime; an array that outlives both finds it gone
  std::shared_ptr<cluster::OpenReductions> reductions = std::make_shared<cluster::OpenReductions>();  // as the copies
  std::unique_ptr<cluster::TileTrace> tile_trace;
  std::unique_ptr<cluster::Progress> progress;            // last: it is stopped before what it uses ends
  std::unique_ptr<cluster::RankCheckpoints> checkpoints;  // null: neither written nor read; ends before the runtime
  std::thread::id maker;
  std::uint32_t arrays = 0;  // made so far, by all ranks alike
  cluster::Traffic traffic;
  int exceptions = 0;  // in flight when it was made

  Rank self() const noexcept { return rank; }
};

}  // namespace weir::detail
