// SPDX-License-Identifier: Apache-2.0

#include "trace/recording.hpp"

#include "platform/clock.hpp"

namespace weir::trace {

// The read of the ticks lies between two of the other clock: the best of some tries is off by tens of nanoseconds.
ClockPair ClockPair::now() noexcept {
  ClockPair best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = platform::now_ns();
    const std::uint64_t ticks = platform::ticks();
    const std::uint64_t after = platform::now_ns();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {ticks, before + (after - before) / 2};
  }
  return best;
}

const char* task_name(const Event& event) noexcept {
  const auto* const text = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(event.value()));
  return text != nullptr ? text : event.id == 0 ? "half of a fork_join" : "task";
}

const char* wait_name(const Event& event) noexcept {
  constexpr const char* kNames[] = {"wait", "wait for children", "throttled", "wait for a task", "join", "work"};
  return kNames[event.small()];
}

}  // namespace weir::trace
