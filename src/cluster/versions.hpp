// SPDX-License-Identifier: Apache-2.0

// Versions of a tile, as every rank counts them: what a task on some rank needs to have sent, and what it makes stale.
//
// All ranks see all tasks in one order, so each knows who has written a tile last, and whether that rank has sent it,
// without a message: sender and receiver decide alike. Nor does it take one to drop what was sent: both note it at the
// same place of that order, and the version is sent again when a later task needs it. Values; the thread that spawns.
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
    if (self != writer_) return Move::none;
    const auto sent = find_sent(where);
    if (sent != sent_.end() && sent->has) return Move::none;
    if (sent == sent_.end())
      sent_.push_back({where, 0, true});
    else
      sent->has = true;
    return Move::send;
  }
  // A task at `where` writes: what other ranks have is stale.
  void note_write(Rank self, Rank where) noexcept {
    ++version_;
    writer_ = where;
    sent_.clear();
    drops_here_ = 0;
    if (where == self) here_ = version_;
  }
  // The copy at `where`, of whatever version, is no more. Nothing, where there is none, or that of the writer.
  void note_dropped(Rank self, Rank where) noexcept {
    if (where == writer_) return;
    if (where == self) {
      if (here_ == version_) ++drops_here_;
      here_ = kNever;
    } else if (const auto sent = find_sent(where); self == writer_ && sent != sent_.end() && sent->has) {
      sent->has = false;
      ++sent->drops;
    }
  }

  Rank owner() const noexcept { return owner_; }
  Rank writer() const noexcept { return writer_; }  // who has the newest version
  std::uint32_t newest() const noexcept { return version_; }
  // This rank is not the writer, and has what that wrote.
  bool has_copy(Rank self) const noexcept { return self != writer_ && here_ == version_; }
  // How often the copy of the newest version at `where` was dropped, as that rank and the writer know.
  std::uint32_t drops(Rank self, Rank where) noexcept {
    if (where == self) return drops_here_;
    const auto sent = find_sent(where);
    return sent == sent_.end() ? 0 : sent->drops;
  }
  // On the writer's rank: calls f(rank) for each that has been sent the newest version and has it still.
  template <class F>
  void for_each_copy(F&& f) const {
    for (const Sent& sent : sent_)
      if (sent.has) f(sent.to);
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  struct Sent {
    Rank to;
    std::uint32_t drops;
    bool has;
  };
  std::vector<Sent>::iterator find_sent(Rank to) noexcept {
    return std::find_if(sent_.begin(), sent_.end(), [to](const Sent& sent) { return sent.to == to; });
  }

  std::uint32_t version_ = 0;  // tasks so far that write
  Rank writer_;
  std::uint32_t here_;            // the version that this rank has, by the tasks spawned so far
  std::uint32_t drops_here_ = 0;  // of the newest one
  std::vector<Sent> sent_;        // on the writer's rank: who has been sent the newest version
  Rank owner_;
};

}  // namespace weir::cluster
