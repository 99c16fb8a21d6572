// SPDX-License-Identifier: Apache-2.0

// Sharing: a worker without tasks asks others for some of those that they have been given and have not begun.
//
// By letters, without locks: worker t writes that it asks v, and v, between two tasks, writes which of its tasks t is
// to run. Each worker asks at most four others, at distances of 1, 2, 4 and 8, so what is looked at does not grow with
// the number of workers. Who runs a task answers for it where its worker would have. Protocol:
// docs/protocols/sharing.md.
#pragma once

#include <array>
#include <cstdint>

#include "island/letter.hpp"

namespace weir::island {

// In the mailbox of the one that asks.
struct Share {
  Letter<64> ask;     // its own
  Letter<64> answer;  // of the one that it asks, under the number of the ask
};
// Which tasks the asker gets: their numbers in the mailbox of the one that answers. None: there are none now.
struct Answer {
  std::uint32_t count;
  std::array<std::uint32_t, 8> numbers;
};

inline constexpr std::uint32_t kPartners = 4;

// Of workers 0 to `workers` - 1: how many each asks, the one that it asks as its `i`-th, and the one that asks it so.
constexpr std::uint32_t partners(std::uint32_t workers) noexcept {
  std::uint32_t count = 0;
  while (count < kPartners && (1u << count) < workers) ++count;
  return count;
}
constexpr std::uint32_t asked_by(std::uint32_t worker, std::uint32_t i, std::uint32_t workers) noexcept {
  return (worker + (1u << i)) % workers;
}
constexpr std::uint32_t asker_of(std::uint32_t worker, std::uint32_t i, std::uint32_t workers) noexcept {
  return (worker + workers - (1u << i)) % workers;
}
static_assert(partners(1) == 0 && partners(2) == 1 && partners(3) == 2 && partners(100) == kPartners);
static_assert(asker_of(asked_by(5, 2, 7), 2, 7) == 5);

}  // namespace weir::island
