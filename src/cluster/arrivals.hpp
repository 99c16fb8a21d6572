// SPDX-License-Identifier: Apache-2.0

// Arrivals: tiles that were announced by other ranks, and who waits for one, until both have come and it is taken.
//
// Each version of a tile is announced once and awaited once, in either order, and then taken. One that is awaited when
// it is announced, as most are, is offered to who awaits it on the spot, and is not in the table meanwhile. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

// What has come: the bytes themselves, or where they lie.
struct Announced {
  Rank from{};
  std::span<const std::byte> contents;  // empty: `ready` says where they are
  Ready ready;
  std::vector<std::byte> kept;  // what `contents` is, unless that is still the message
};

// Who takes a tile. Told once, by one of the two, when it was announced or never will be; both call Arrivals::take().
struct Receiver {
  void* who = nullptr;
  // Takes it before it returns true. False: nothing was done, since it cannot at once.
  bool (*try_here)(void* who) noexcept = nullptr;
  void (*later)(void* who) noexcept = nullptr;
  explicit operator bool() const noexcept { return later != nullptr; }
};

class Arrivals {
 public:
  // `receiver` is told, perhaps before this returns.
  void await(const TileVersion& what, const Receiver& receiver);
  // The receiver takes what was announced. False: it was told for another reason.
  bool take(const TileVersion& what, Announced& to);
  // Tells who awaits it; when nobody does yet, it is kept.
  void announce(const TileVersion& what, Announced&& announced);
  // Tells all who wait.
  void give_up() noexcept;

 private:
  struct Arrival {
    bool is_announced = false;
    Announced announced;
    Receiver receiver;  // until it is told
  };
  using Table = std::unordered_map<TileVersion, Arrival, HashTileVersion>;
  struct Offer;
  static constexpr std::size_t kMostSpare = 64;

  // The receiver, which is in the table no more; none: what was announced is kept.
  Receiver take_receiver(const TileVersion& what, Announced& announced);
  void keep(const TileVersion& what, Announced& announced) WEIR_REQUIRES(mutex_);
  Arrival& arrival(const TileVersion& what) WEIR_REQUIRES(mutex_);
  void remove(Table::iterator at) WEIR_REQUIRES(mutex_);

  base::Mutex mutex_;
  Table all_ WEIR_GUARDED_BY(mutex_);
  std::vector<Table::node_type> spare_ WEIR_GUARDED_BY(mutex_);  // of entries that were removed, for new ones
};

}  // namespace weir::cluster
