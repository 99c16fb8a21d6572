// SPDX-License-Identifier: Apache-2.0

// Stillness: what a rank says of itself when it is asked whether anything can still happen, and what follows from what
// all have said. docs/protocols/ocr-ranks.md (Stall, Halt). Values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ocr/mail/mail.hpp"

namespace weir::ocr {

struct Stillness {
  bool is_still = false;    // nothing happens there but what a message brings about
  std::uint64_t ended = 0;  // EDTs
  Traffic traffic;          // looked at after the others
  friend bool operator==(const Stillness&, const Stillness&) = default;
};

// One of each rank. Whether all are still, and all that they had sent when they said so has been performed.
inline bool all_is_performed(const std::vector<Stillness>& wave) noexcept {
  Traffic sum;
  for (const Stillness& each : wave) {
    sum.sent += each.traffic.sent;
    sum.performed += each.traffic.performed;
  }
  return !wave.empty() && sum.sent == sum.performed &&
         std::all_of(wave.begin(), wave.end(), [](const Stillness& each) { return each.is_still; });
}

// `second`: of the same ranks, each asked after the last of `first` had answered. Whether at the time between nothing
// happened anywhere, and no message was on its way.
inline bool nothing_happened(const std::vector<Stillness>& first, const std::vector<Stillness>& second) noexcept {
  return all_is_performed(first) && first == second;
}

}  // namespace weir::ocr
