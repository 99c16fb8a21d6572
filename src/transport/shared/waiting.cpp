// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/waiting.hpp"

#include <sched.h>
#include <unistd.h>

#include "platform/clock.hpp"

namespace weir::transport::shared {
namespace {

constexpr std::uint32_t kSpins = 1000, kYields = 30;

std::uint32_t cores_online() noexcept { return static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace

// Where ranks share cores, what one waits for needs its core.
Waiting::Waiting(Commons& commons, Peers& peers, std::uint32_t cores) noexcept
    : commons_(commons), peers_(peers), spins_(commons.ranks() <= (cores != 0 ? cores : cores_online()) ? kSpins : 0) {}

bool Waiting::pass(std::uint32_t turn) const noexcept {
  if (turn < spins_) {
    platform::spin_pause();
    return true;
  }
  if (turn >= spins_ + kYields) return false;
  sched_yield();
  return true;
}

}  // namespace weir::transport::shared
