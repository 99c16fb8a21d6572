// SPDX-License-Identifier: Apache-2.0

// EdtTimes: what EDTs of a function take on this rank, by which the policy of spreading decides. Any thread.
// docs/decisions/0041-an-edt-goes-elsewhere-when-its-bytes-are-few.md
#pragma once

#include <atomic>
#include <cstdint>

#include "ocr/edts/policy/spread.hpp"
#include "ocr/objects/origin.hpp"
#include "platform/clock.hpp"

namespace weir::ocr {

class EdtTimes {
 public:
  // Whether it is asked for: while this rank spreads EDTs.
  static void measure(bool on) noexcept { is_on_.store(on); }

  // The time when an EDT begins; 0: it is not asked for.
  static std::uint64_t begin() noexcept { return is_on_.load() ? platform::now_ns() : 0; }
  // Of two threads at once one is forgotten.
  static void end(std::uint64_t began, const EdtKind& kind) noexcept {
    if (began == 0) [[likely]]
      return;
    kind.usual_ns.store(policy::usual_after(kind.usual_ns.load(), platform::now_ns() - began));
  }

 private:
  static inline constinit std::atomic<bool> is_on_{false};
};

}  // namespace weir::ocr
