// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/turns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weir::transport::loopback {

Turns::Turns(std::uint32_t threads, std::uint64_t seed, std::uint64_t most, std::function<bool()> happen)
    : threads_(threads), live_(threads), happen_(std::move(happen)), random_(seed), most_(most) {
  std::iota(live_.begin(), live_.end(), 0);
}

// Every decision goes through here. Not the standard library's distributions: those differ between libraries.
std::uint64_t Turns::below(std::uint64_t limit) {
  const std::uint64_t value = random_() % limit;
  digest_ = (digest_ ^ value) * 0x100000001b3;
  return value;
}

void Turns::begin() {
  const base::Lock lock(mutex_);
  give_away();
}

void Turns::take_first(std::uint32_t self) {
  base::Lock lock(mutex_);
  sleep(lock, self);
}

void Turns::sleep(base::Lock& lock, std::uint32_t self) {
  while (holder_ != self) lock.wait(threads_[self].turn);
}

void Turns::pass(std::uint32_t self) {
  base::Lock lock(mutex_);
  give_away();
  sleep(lock, self);
}

bool Turns::wait(std::uint32_t self, const Ready& ready) {
  if (ready()) return true;
  base::Lock lock(mutex_);
  threads_[self].ready = &ready;
  give_away();
  sleep(lock, self);
  threads_[self].ready = nullptr;
  return ready();
}

void Turns::end(std::uint32_t self) {
  const base::Lock lock(mutex_);
  live_.erase(std::find(live_.begin(), live_.end(), self));
  give_away();
}

void Turns::give_away() {
  holder_ = live_.empty() ? kNobody : choose();
  if (holder_ != kNobody) threads_[holder_].turn.notify_one();
}

// Nobody runs meanwhile, so that what the threads wait for can be looked at. Stuck ones get turns to end in.
std::uint32_t Turns::choose() {
  if (++count_ > most_) is_stuck_ = true;
  for (;;) {
    for (std::uint64_t events = below(3); events > 0 && happen_(); --events) {
    }
    for (std::size_t tries = 0; tries < 4 && !is_stuck_; ++tries) {
      const std::uint32_t thread = live_[below(live_.size())];
      if (can_run(thread)) return thread;
    }
    const std::uint64_t first = below(live_.size());
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const std::uint32_t thread = live_[(first + i) % live_.size()];
      if (is_stuck_ || can_run(thread)) return thread;
    }
    if (!happen_()) is_stuck_ = true;
  }
}

}  // namespace weir::transport::loopback
