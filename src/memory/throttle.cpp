// SPDX-License-Identifier: Apache-2.0

#include "memory/throttle.hpp"

#include <algorithm>
#include <thread>

#include "base/check.hpp"
#include "platform/punctual_sleep.hpp"

namespace weir::memory {
namespace {

// Sleeps end up to 100 us late (docs/tuning/trace.md#threads-that-wake-late), and no thread sleeps for less: what one
// caller is late or early, the next ones make up for.
constexpr auto kGrain = std::chrono::microseconds(100);

}  // namespace

Throttle::Throttle(double bytes_per_second) : bytes_per_second_(bytes_per_second) {
  WEIR_CHECK(bytes_per_second > 0, "a throttle lets something pass");
}

Throttle::Clock::time_point Throttle::reserve(std::uint64_t bytes) noexcept {
  const std::chrono::duration<double> cost(static_cast<double>(bytes) / bytes_per_second_);
  const auto now = Clock::now();
  const base::Lock lock(mutex_);
  free_at_ = std::max(free_at_, now - kGrain) + std::chrono::duration_cast<Clock::duration>(cost);
  return free_at_;
}

void Throttle::wait_until(Clock::time_point time) noexcept {
  if (time - Clock::now() <= kGrain) return;
  const platform::PunctualSleep punctual;
  std::this_thread::sleep_until(time);
}

}  // namespace weir::memory
