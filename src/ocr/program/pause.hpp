// SPDX-License-Identifier: Apache-2.0

// The gate that EDTs pass before they start: closed while the program is paused. Any thread.
#pragma once

#include <atomic>

namespace weir::ocr {

struct Local;

namespace detail {
extern constinit std::atomic<bool> pausing;
}  // namespace detail

inline bool is_pausing() noexcept { return detail::pausing.load(std::memory_order_relaxed); }  // PAUSE-1
// The EDT that the calling worker is about to start waits.
void wait_while_paused(Local& local) noexcept;
// The calling worker runs an EDT, or goes on with one, from now on; waits at the gate.
void enter_running(Local& local, bool running) noexcept;
// The calling worker's EDT, if it has paused the program, is about to wait: others run meanwhile. False: it has not.
bool suspend_pause(const Local& local) noexcept;
// It goes on: others do not, from when this returns.
void continue_pause() noexcept;

}  // namespace weir::ocr
