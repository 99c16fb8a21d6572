// SPDX-License-Identifier: Apache-2.0

// Waiting: how a rank waits for what others of its host do: looks, then gives its core away, then sleeps.
//
// Whoever makes true what a rank may wait for rings that rank afterwards (Peers::ring). Tags BELL-1 in
// docs/protocols/transport.md: the sleeper says that it sleeps before its last look, the other one makes it true before
// it asks who sleeps; all four are sequentially consistent, so one sees the other. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.hpp"
#include "platform/shared_futex.hpp"
#include "transport/shared/commons.hpp"
#include "transport/shared/peers.hpp"

namespace weir::transport::shared {

// What a rank does for others while it waits.
class Work {
 public:
  virtual ~Work() = default;
  // True when there was something to do.
  virtual bool progress() = 0;
  // Whether there is; false positives only while another thread is at it.
  virtual bool is_waiting() const noexcept = 0;
};

class Waiting {
 public:
  // `cores`: that the ranks of the host have together; 0: not known.
  Waiting(Commons& commons, Peers& peers, std::uint32_t cores) noexcept;

  // Done while waiting; none before.
  void set_work(Work& work) noexcept { work_ = &work; }

  // Until ready() is true, however often it is called; Code::lost when a rank is lost meanwhile.
  template <class Ready>
  base::Status until(Ready ready);
  // Until there is work, a rank is lost, the rank is rung, or so many nanoseconds have passed; looks after the others,
  // and with 0 does only that.
  void sleep(std::uint64_t ns) {
    if (ns != 0) nap(ns, [] { return false; });
    peers_.look();  // it does not sleep, nor look, when there is news already: of the end of all, too
  }

 private:
  static constexpr std::uint32_t kRoundsPerLook = 4096;

  // Until ready() is true, or as sleep().
  template <class Ready>
  void nap(std::uint64_t ns, Ready ready);
  bool has_news() const noexcept {
    return (work_ != nullptr && work_->is_waiting()) || commons_.head().ending.load() != 0 ||
           commons_.head().first_lost.load() != 0;
  }
  // Where ranks are few.
  void forget_who_rang() noexcept {
    std::atomic<std::uint64_t>& rung_by = commons_.senders_to(commons_.rank()).front();
    if (rung_by.load() != 0) rung_by.exchange(0);
  }
  // Spins or gives the core away; false when it is time to sleep. `turn`: how often it was called in this wait.
  bool pass(std::uint32_t turn) const noexcept;

  Commons& commons_;
  Peers& peers_;
  std::uint32_t spins_;
  Work* work_ = nullptr;
};

// Also in a flood of messages it looks after the others now and then.
template <class Ready>
base::Status Waiting::until(Ready ready) {
  for (std::uint32_t turn = 0, rounds = 1; !ready(); ++turn, ++rounds) {
    if (work_ != nullptr && work_->progress()) turn = 0;
    const bool shall_sleep = !pass(turn);
    if (!shall_sleep && rounds % kRoundsPerLook != 0) continue;
    peers_.look();
    if (ready()) break;
    if (base::Status status = peers_.status(); !status) return status;
    if (shall_sleep) nap(peers_.look_every_ns(), ready);
  }
  return base::Status::success();
}

template <class Ready>
void Waiting::nap(std::uint64_t ns, Ready ready) {
  RankLine& line = commons_.own_line();
  line.sleepers.fetch_add(1);                     // BELL-1: before the last look
  const std::uint32_t rings = line.rings.load();  // BELL-1: a ring after this makes the sleep return at once
  if (commons_.are_few()) forget_who_rang();      // MAIL-2: those that have rung before this ring once more
  while (!ready() && !has_news() && line.rings.load() == rings) {
    const std::uint64_t piece = std::min(ns, peers_.look_every_ns());
    platform::sleep_on(line.rings, rings, piece);
    peers_.look();
    ns -= piece;
    if (ns == 0) break;
  }
  line.sleepers.fetch_sub(1);
}

}  // namespace weir::transport::shared
