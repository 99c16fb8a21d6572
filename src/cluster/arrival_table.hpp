// SPDX-License-Identifier: Apache-2.0

// ArrivalTable: versions of tiles that were announced and not taken, or are awaited: by name, in few instructions, as
// each tile that comes from another rank is added, found and removed once. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

// What has come: the bytes themselves, or where they lie.
struct Announced {
  Rank from{};
  std::span<const std::byte> contents;  // empty: `ready` says where they are
  Ready ready;
  std::vector<std::byte> kept;  // what `contents` is, unless that is still the message

  std::uint64_t bytes() const noexcept { return contents.empty() ? ready.bytes : contents.size(); }
};

// Who takes a tile. Told once, by one of the two, when it was announced or never will be; both call Arrivals::take().
struct Receiver {
  void* who = nullptr;
  // Takes it before it returns true. False: nothing was done, since it cannot at once.
  bool (*try_here)(void* who) noexcept = nullptr;
  void (*later)(void* who) noexcept = nullptr;
  Rank from{};            // who sends it
  const char* name = "";  // the tile's, for people, which lives as long as the receiver
  explicit operator bool() const noexcept { return later != nullptr; }
};

struct Arrival {
  TileVersion what;
  bool is_announced = false;
  Announced announced;  // nothing while it is not
  Receiver receiver;    // until it is told
  Arrival* next = nullptr;
};

// Hashing with chains. Entries stay where they are, and are used again.
class ArrivalTable {
 public:
  // Where the table points to the entry of that name; null there: it has none. Until the next add() or remove().
  Arrival** find(const TileVersion& what) noexcept {
    Arrival** at = &chains_[HashTileVersion()(what) & (chains_.size() - 1)];
    while (*at != nullptr && !((*at)->what == what)) at = &(*at)->next;
    return at;
  }
  // `at`: where find() has found none.
  Arrival& add(Arrival** at, const TileVersion& what) {
    if (spare_ == nullptr) at = make_spare(what);
    Arrival* const added = std::exchange(spare_, spare_->next);
    added->what = what;
    added->next = nullptr;
    return *(*at = added);
  }
  // What was announced was taken out.
  void remove(Arrival** at) noexcept {
    Arrival* const removed = std::exchange(*at, (*at)->next);
    removed->is_announced = false;
    removed->receiver = {};
    removed->next = std::exchange(spare_, removed);
  }
  template <class F>
  void for_each(F&& f) {
    for (Arrival* const first : chains_)
      for (Arrival* each = first; each != nullptr; each = each->next) f(*each);
  }
  template <class F>
  void for_each(F&& f) const {
    for (const Arrival* const first : chains_)
      for (const Arrival* each = first; each != nullptr; each = each->next) f(*each);
  }

 private:
  // Then find(what) is elsewhere: returns it.
  [[gnu::noinline]] Arrival** make_spare(const TileVersion& what) {
    if (entries_.size() == chains_.size()) lengthen();
    spare_ = &entries_.emplace_back();
    return find(what);
  }
  void lengthen() {
    std::vector<Arrival*> before(2 * chains_.size());
    before.swap(chains_);
    for (Arrival* each : before) {
      while (each != nullptr) {
        Arrival** const at = find(each->what);
        Arrival* const next = std::exchange(each->next, *at);
        *at = each;
        each = next;
      }
    }
  }

  std::vector<Arrival*> chains_ = std::vector<Arrival*>(64);  // their first; a power of two, by the hash
  std::deque<Arrival> entries_;
  Arrival* spare_ = nullptr;  // the first of those that are in no chain
};

}  // namespace weir::cluster
