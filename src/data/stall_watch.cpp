// SPDX-License-Identifier: Apache-2.0

#include "data/stall_watch.hpp"

#include <chrono>

#include "platform/start_thread.hpp"

namespace weir::data {

StallWatch::StallWatch(base::Mutex& mutex, const Watched& watched, Sink& sink, Ender& ender)
    : mutex_(mutex),
      engine_(watched.engine),
      changes_(watched.changes),
      sink_(sink),
      ender_(ender),
      thread_(platform::start_thread("weir stalls", [this] { watch(); })) {}

StallWatch::~StallWatch() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  suspicion_.notify_all();
  thread_.join();
}

void StallWatch::watch() noexcept {
  constexpr auto kPeriod = std::chrono::milliseconds(4);  // docs/tuning/data.md#stalls
  constexpr int kTimes = 3;
  base::Lock lock(mutex_);
  std::uint64_t seen = 0;
  int times = 0;
  while (!stop_) {
    if (!engine_.waits_for_tasks()) {
      times = 0;
      while (!stop_ && !engine_.waits_for_tasks()) lock.wait(suspicion_);
    }
    const auto end = std::chrono::steady_clock::now() + kPeriod;
    while (!stop_ && std::chrono::steady_clock::now() < end) lock.wait_until(suspicion_, end);
    if (stop_) return;
    const std::uint64_t now = changes_;
    lock.unlock();
    const bool still = sink_.still(), stuck = still && sink_.stuck();
    lock.lock();
    const bool none_begins = stuck ? !engine_.has_resuming() : !engine_.has_queued();
    const bool sure = still && none_begins && now == changes_ && engine_.waits_for_tasks();
    times = sure && now == seen ? times + 1 : 0;
    seen = now;
    if (times < kTimes) continue;
    times = 0;
    ender_.end_stall(stuck);
  }
}

}  // namespace weir::data
