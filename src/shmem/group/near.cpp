// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/near.hpp"

#include <algorithm>

#include "platform/affinity.hpp"
#include "platform/clock.hpp"

namespace weir::shmem {

Near::Near(Places places, Reach& reach)
    : places_(std::move(places)),
      reach_(reach),
      spins_(places_.crowded ? 1 : kSpins),
      step_(places_.first_step),
      ended_(places_.areas.size(), places_.first_step),
      read_by_all_(places_.first_step) {}

void Near::wait_slow(const std::atomic<Step>& word, Step step) {
  for (unsigned spin = 0; spin < spins_; ++spin) {
    if (word.load(std::memory_order_acquire) >= step) return;  // LETTER-1, LETTER-2, ROUND-1: the pair's other end
    platform::spin_pause();
  }
  reach_.wait(word, step);
}

void Near::make_room() {
  const Step needed = step_ - kLetters;
  Step ended = step_;
  for (unsigned member = 0; member < size(); ++member) {
    if (member == me()) continue;
    if (ended_[member] < needed) {
      const std::atomic<Step>& done = area(member).done.step;
      wait(done, needed);
      ended_[member] = done.load(std::memory_order_acquire);  // LETTER-2: what it read, it read before
    }
    ended = std::min(ended, ended_[member]);
  }
  read_by_all_ = ended;
}

void Near::wait_for_end() {
  for (unsigned member = 0; member < size(); ++member) {
    if (member != me()) wait(area(member).done.step, step_);  // LETTER-2
  }
  read_by_all_ = step_;
}

std::optional<unsigned> Near::take_part(unsigned parts) noexcept {
  constexpr Step kFromFront = 1, kFromBack = kMostParts + 1;  // one part more, taken from that end
  const Step none = step_ << kPartBits;
  const bool is_front = platform::current_cpu() % 2 == 0;
  std::atomic<Step>& taken = area(0).work.taken;
  // Relaxed: who takes a part has seen all begin, and what parts write is ordered by WORK-1.
  Step seen = taken.load(std::memory_order_relaxed);
  for (;;) {
    const Step next = std::max(seen, none);
    if (next >> kPartBits != step_) return std::nullopt;  // others have gone on
    const auto front = static_cast<unsigned>((next - none) % kFromBack);
    const auto back = static_cast<unsigned>((next - none) / kFromBack);
    if (front + back >= parts) return std::nullopt;
    if (taken.compare_exchange_weak(seen, next + (is_front ? kFromFront : kFromBack), std::memory_order_relaxed))
      return is_front ? front : parts - 1 - back;
  }
}

void Near::end_part() noexcept {
  const Step none = step_ << kPartBits;
  std::atomic<Step>& done = area(0).work.done;
  Step seen = done.load(std::memory_order_relaxed);  // the exchange says whether it still is so
  while (!done.compare_exchange_weak(seen, std::max(seen, none) + 1, std::memory_order_release,  // WORK-1
                                     std::memory_order_relaxed)) {
  }
}

void Near::sync() {
  if (is_small()) {
    begin();
    post(nullptr, 0);
    for (unsigned member = 0; member < size(); ++member) {
      if (member != me()) hear(member);
    }
    all_have_begun();
    end();
  } else if (places_.crowded || size() > kMostDisseminating) {
    gather(nullptr, 0);
    release(nullptr, 0);
    end();
  } else {
    begin();
    disseminate();
    all_have_begun();
    end();
  }
}

void Near::disseminate() {
  for (unsigned round = 0, distance = 1; distance < size(); ++round, distance *= 2) {
    const unsigned next = (me() + distance) % size();
    area(next).rounds[round].step.store(step_, std::memory_order_release);  // ROUND-1: what I know, it knows
    wait(mine().rounds[round].step);                                        // ROUND-1
  }
}

void Near::gather(const void* text, std::size_t bytes) {
  begin();
  if (me() != 0) {
    post(text, bytes);
    return;
  }
  for (unsigned member = 1; member < size(); ++member) hear(member);
  all_have_begun();
}

const std::byte* Near::release(const void* text, std::size_t bytes) {
  begin();
  const std::byte* said = static_cast<const std::byte*>(text);
  if (me() == 0) {
    post(text, bytes);
  } else {
    said = hear(0);
  }
  all_have_begun(1);
  return said;
}

}  // namespace weir::shmem
