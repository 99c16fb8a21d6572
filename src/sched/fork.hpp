// SPDX-License-Identifier: Apache-2.0

// States of the half of a fork_join() that was stolen. docs/protocols/fork.md.
//
// FORK-1  the thief's exchange to kForkDone releases what the half did, and its exception; the owner acquires it.
#pragma once

#include <cstdint>

#include "weir/parallel.hpp"

namespace weir::sched {

inline constexpr std::uint32_t kForkOffered = 0;
inline constexpr std::uint32_t kForkDone = 1;
inline constexpr std::uint32_t kForkOwnerSleeps = 2;

// The half has run: tells its owner, who frees it.
void notify_fork_owner(detail::ForkHalf& half) noexcept;

}  // namespace weir::sched
