// SPDX-License-Identifier: Apache-2.0

// Peers: which ranks of the host are there, which have left, which are lost; and the end of all of them.
//
// Each process holds a record lock on one byte of the common memory's descriptor. The kernel takes it back when the
// process ends, however it ends, and not when a child that it forked does; and when the process closes any descriptor
// of the memory, also one that it has got by opening /proc/self/fd/N. So one whose lock is gone is looked for among the
// processes that live. Whoever waits looks after all; one rank at a time does so, now and then. Any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>

#include "base/result.hpp"
#include "launch/control.hpp"
#include "transport/shared/commons.hpp"
#include "transport/shared/open_shared.hpp"
#include "transport/transport.hpp"

namespace weir::transport::shared {

class Peers {
 public:
  Peers(Commons& commons, const SharedPlace& place) noexcept
      : commons_(commons),
        launcher_(place.control),
        look_every_(std::chrono::nanoseconds(place.look_every).count()),
        parent_(place.ends_with_parent ? getppid() : 0) {}

  // From now on the end of this process is seen.
  base::Status enter();
  // While a transport is open, its process counts also where its lock is gone; after that the lock alone does.
  void show_life() noexcept;
  void hide_life() noexcept;
  // From now on it is no loss.
  void leave() noexcept;
  // It is one for the other ranks, and none for what has started them.
  void leave_alone() noexcept { launcher_.leave(); }

  // Marks ranks that have ended as lost, unless somebody has looked a moment ago; ends this process when one aborts,
  // and all when what has started them is gone.
  void look();
  std::optional<Lost> lost() const;
  bool is_lost(Rank rank) const noexcept { return commons_.line(rank).presence.load() == Presence::lost; }
  // Code::lost when a rank is.
  base::Status status() const;

  std::uint64_t look_every_ns() const noexcept { return look_every_; }

  // Whether anything may sleep on a rank.
  bool sleeps(Rank rank) const noexcept { return commons_.line(rank).sleepers.load() != 0; }
  // Wakes whatever sleeps on a rank; costs a load when nothing does.
  void ring(Rank rank) const noexcept;
  void ring_all() const noexcept;

  // Ends all of them with this status; the first status counts.
  [[noreturn]] void end_all(int status);

 private:
  // The process that holds the rank's lock; 0: none.
  int holder(Rank rank) const noexcept;
  // The rank's process, whether it has the lock or not; 0: it has ended.
  int process_of(Rank rank) const;
  void declare_lost(Rank rank);
  void end_when_told() const;
  void end_with_parent();
  bool others_live() const;
  void end_others() const;

  Commons& commons_;
  launch::Control launcher_;
  std::uint64_t look_every_;  // ns
  pid_t parent_;              // with which this process ends; 0: with none
};

}  // namespace weir::transport::shared
