// SPDX-License-Identifier: Apache-2.0

// Pausing, as EDTs see it: before it starts, an EDT waits while the program is paused. Any thread.
#pragma once

#include <atomic>

namespace weir::ocr {

struct ProgramLocal;

namespace detail {
extern constinit std::atomic<bool> pausing;  // PAUSE-1
}  // namespace detail

inline bool is_pausing() noexcept { return detail::pausing.load(std::memory_order_relaxed); }  // PAUSE-1
// The EDT that the calling worker is about to start waits. False: it is not to begin at all, see Halt::end_unbegun().
[[nodiscard]] bool wait_while_paused(ProgramLocal& local) noexcept;
// The calling worker runs an EDT, or goes on with one, from now on; waits while the program is paused.
void enter_running(ProgramLocal& local, bool running) noexcept;
// The calling worker's EDT, if it has paused the program, is about to wait: others run until it goes on. False: it has
// not.
bool suspend_pause(const ProgramLocal& local) noexcept;
// It goes on: others do not, from when this returns.
void continue_pause(const ProgramLocal& local) noexcept;

}  // namespace weir::ocr
