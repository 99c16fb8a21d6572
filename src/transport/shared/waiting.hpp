// SPDX-License-Identifier: Apache-2.0

// Waiting: how a rank waits for what others of its host do: looks, then gives its core away, then sleeps.
//
// Whoever makes true what a rank may wait for rings that rank afterwards (Peers::ring). Tags WAKE-1 in
// docs/protocols/transport.md: the sleeper says that it sleeps before its last look, the other one makes it true before
// it asks who sleeps; all four are sequentially consistent, so one sees the other. Any thread.
#pragma once

#include <functional>
#include <utility>

#include "base/result.hpp"
#include "platform/shared_futex.hpp"
#include "transport/shared/commons.hpp"
#include "transport/shared/peers.hpp"

namespace weir::transport::shared {

class Waiting {
 public:
  // `cores`: that the ranks of the host have together; 0: not known.
  Waiting(Commons& commons, Peers& peers, std::uint32_t cores) noexcept;

  // Run now and then while waiting: true when it has done something.
  void set_progress(std::function<bool()> progress) { progress_ = std::move(progress); }

  // Until ready() is true, however often it is called; Code::lost when a rank is lost meanwhile.
  template <class Ready>
  base::Status until(Ready ready);
  // Until ready() is true, the rank is rung, or so many nanoseconds have passed; looks after the others.
  template <class Ready>
  void sleep(std::uint64_t ns, Ready ready);

 private:
  static constexpr std::uint64_t kLongestSleep = 20'000'000;  // ns

  // Spins or gives the core away; false when it is time to sleep. `turn`: how often it was called in this wait.
  bool pass(std::uint32_t turn) const noexcept;

  Commons& commons_;
  Peers& peers_;
  std::uint32_t spins_;
  std::function<bool()> progress_ = [] { return false; };
};

template <class Ready>
base::Status Waiting::until(Ready ready) {
  for (std::uint32_t turn = 0; !ready(); ++turn) {
    if (progress_()) turn = 0;
    if (pass(turn)) continue;
    peers_.look();
    if (ready()) break;
    if (base::Status status = peers_.status(); !status) return status;
    sleep(kLongestSleep, ready);
  }
  return base::Status::success();
}

template <class Ready>
void Waiting::sleep(std::uint64_t ns, Ready ready) {
  RankLine& line = commons_.own_line();
  line.sleepers.fetch_add(1);                     // WAKE-1
  const std::uint32_t rings = line.rings.load();  // before the look: a ring after it makes the sleep return at once
  if (!ready() && !commons_.head().ending.load() && !commons_.head().first_lost.load()) {
    platform::sleep_on(line.rings, rings, ns);
  }
  line.sleepers.fetch_sub(1);
  peers_.look();
}

}  // namespace weir::transport::shared
