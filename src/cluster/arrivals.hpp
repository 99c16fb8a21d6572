// SPDX-License-Identifier: Apache-2.0

// Arrivals: tiles that were announced by other ranks, and tasks that wait for one, until both have come.
//
// Each version of a tile is announced once and awaited once, in either order. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "cluster/ending.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

// What has come: the bytes themselves, or where they lie.
struct Announced {
  Rank from{};
  std::vector<std::byte> contents;  // empty: `ready` says where they are
  Ready ready;
};

// Where the bytes shall go, and who is told.
struct Awaited {
  std::span<std::byte> to;
  EndingPtr ending;
};

class Arrivals {
 public:
  // What was announced; none when it has not come yet.
  std::optional<Announced> take(const TileVersion& what);
  // As take(); when it has not come, `awaited` is kept (moved from), and given back by announce().
  std::optional<Announced> await(const TileVersion& what, Awaited& awaited);
  // Who awaits it; when nobody does yet, `announced` is kept (moved from).
  std::optional<Awaited> announce(const TileVersion& what, Announced& announced);
  // Whether it was announced. If not, `watcher` is kept (moved from), and given back by watcher_of() when it is.
  bool watch(const TileVersion& what, EndingPtr& watcher);
  EndingPtr watcher_of(const TileVersion& what);
  // All who wait, who wait no more.
  std::vector<EndingPtr> give_up();

 private:
  base::Mutex mutex_;
  std::unordered_map<TileVersion, Announced, HashTileVersion> announced_ WEIR_GUARDED_BY(mutex_);
  std::unordered_map<TileVersion, Awaited, HashTileVersion> awaited_ WEIR_GUARDED_BY(mutex_);
  std::unordered_map<TileVersion, EndingPtr, HashTileVersion> watchers_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::cluster
