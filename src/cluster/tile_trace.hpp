// SPDX-License-Identifier: Apache-2.0

// TileTrace: tiles that go from rank to rank, as this rank's trace has them: what was sent, what was wanted and since
// when, what has come. Nothing is traced: each function is one test. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mutex.hpp"
#include "cluster/wire.hpp"
#include "trace/track.hpp"
#include "weir/runtime.hpp"

namespace weir::cluster {

// A version of a tile and how a trace means it.
struct TracedTile {
  trace::RankMessage kind = trace::RankMessage::tile;
  TileVersion what;
  Rank other{};  // to whom, or from whom
  trace::EdgeBlock block{};
  std::uint64_t bytes = 0;
};

class TileTrace {
 public:
  explicit TileTrace(Runtime& runtime);

  bool is_on() const noexcept { return track_ != nullptr; }
  // Before it is sent, so that no receiver has it earlier.
  void sent(const TracedTile& tile, std::uint64_t task) noexcept;
  // It is there, and `task` has wanted it since `since`.
  void received(const TracedTile& tile, std::uint64_t task, std::uint64_t since) noexcept;

 private:
  base::Mutex mutex_;
  trace::Track* const track_;  // what it points to: under the lock
};

}  // namespace weir::cluster
