// SPDX-License-Identifier: Apache-2.0

// Arrivals: tiles that were announced by other ranks, and who waits for one, until both have come and it is taken.
//
// Each version of a tile is announced once and awaited once, in either order, and then taken. One that is awaited when
// it is announced, as most are, is offered to who awaits it on the spot, and is not in the table meanwhile. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "cluster/arrival_table.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

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

  // How many were announced.
  std::uint64_t announced() const;
  // Of whom tiles are awaited, each once.
  std::vector<Rank> senders() const;
  // One that is awaited of that rank, for people: "tile a[3]"; none: there is none.
  std::optional<std::string> awaited_of(Rank from) const;

 private:
  struct Offer;

  // The receiver, which is in the table no more; none: what was announced is kept.
  Receiver take_receiver(const TileVersion& what, Announced& announced);
  void keep(Arrival** at, const TileVersion& what, Announced& announced) WEIR_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  ArrivalTable all_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t announced_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::cluster
