// SPDX-License-Identifier: Apache-2.0

// Versions of a tile, as every rank counts them: what a task on some rank needs to have sent, and what it makes stale.
//
// All ranks see all tasks in one order, so each knows who has written a tile last, and whether that rank has sent it,
// without a message: sender and receiver decide alike. Values; the thread that spawns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace weir::cluster {

// What a rank has to do before a task that reads.
enum class Move : std::uint8_t { none, send, receive };

class Versions {
 public:
  // The contents that the owner has from the start, of whatever bytes, are version 0.
  Versions(Rank self, Rank owner) noexcept : writer_(owner), here_(self == owner ? 0 : kNever), owner_(owner) {}

  // A task at `where` reads the newest version.
  Move note_read(Rank self, Rank where) {
    if (where == writer_) return Move::none;
    if (where == self) {
      if (here_ == version_) return Move::none;
      here_ = version_;
      return Move::receive;
    }
    if (self != writer_ || std::find(sent_.begin(), sent_.end(), where) != sent_.end()) return Move::none;
    sent_.push_back(where);
    return Move::send;
  }
  // A task at `where` writes: what other ranks have is stale.
  void note_write(Rank self, Rank where) noexcept {
    ++version_;
    writer_ = where;
    sent_.clear();
    if (where == self) here_ = version_;
  }

  Rank owner() const noexcept { return owner_; }
  Rank writer() const noexcept { return writer_; }  // who has the newest version
  std::uint32_t newest() const noexcept { return version_; }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  std::uint32_t version_ = 0;  // tasks so far that write
  Rank writer_;
  std::uint32_t here_;      // the version that this rank has, by the tasks spawned so far
  std::vector<Rank> sent_;  // on the writer's rank: who has been sent the newest version
  Rank owner_;
};

}  // namespace weir::cluster
