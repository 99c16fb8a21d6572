// SPDX-License-Identifier: Apache-2.0

#include "cluster/tile_trace.hpp"

#include "runtime/rank_tracing.hpp"

namespace weir::cluster {

namespace {

trace::MessageNote note_of(const TracedTile& tile) noexcept {
  const auto& [id, version, drops] = tile.what;
  return {{std::uint64_t{id.array} << 32 | id.tile, std::uint64_t{drops} << 32 | version},
          tile.block,
          static_cast<std::uint32_t>(tile.other)};
}

}  // namespace

TileTrace::TileTrace(Runtime& runtime) : track_(runtime::add_trace_row(runtime, "messages")) {}

void TileTrace::sent(const TracedTile& tile, std::uint64_t task) noexcept {
  if (!is_on()) return;
  const base::Lock lock(mutex_);
  track_->sent(tile.kind, task, tile.bytes, note_of(tile));
}

void TileTrace::received(const TracedTile& tile, std::uint64_t task, std::uint64_t since) noexcept {
  if (!is_on()) return;
  const base::Lock lock(mutex_);
  track_->received(since, tile.kind, task, tile.bytes, note_of(tile));
}

}  // namespace weir::cluster
