// SPDX-License-Identifier: Apache-2.0

// Bell: wakes a process that waits for letters, in memory whose caches the processor keeps coherent; elsewhere nothing
// can. In the mailbox of the one that sleeps, which is one process; any number may ring.
//
// Who rings has posted the letter before. Protocol: docs/protocols/letters.md, BELL-1.
#pragma once

#include <atomic>
#include <cstdint>

#include "island/memory.hpp"
#include "platform/shared_futex.hpp"

namespace weir::island {

class Bell {
 public:
  // Cost: a read-modify-write of a line that nobody else touches while the other one is awake.
  void ring() noexcept {
    if (asleep_.exchange(0) != 0) platform::wake_sleepers(asleep_);  // BELL-1: after the letter was posted
  }
  // Until it is rung, `ns` have passed, or, at times, without a reason. At once when ready(): that the letter is there.
  template <class Ready>
  void sleep(std::uint64_t ns, Ready ready) noexcept {
    asleep_.exchange(1);  // BELL-1: before the last look
    if (!ready()) platform::sleep_on(asleep_, 1, ns);
    asleep_.exchange(0);  // BELL-1: no plain store, which would hide a ring from the exchange of the next sleep
  }

 private:
  alignas(kLine) std::atomic<std::uint32_t> asleep_{0};  // 1: by its owner; 0: by its owner and by who rings
};

}  // namespace weir::island
