// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/standstill.hpp"

#include <fmt/format.h>

#include <cstring>

#include "checker/faults/calls.hpp"
#include "checker/faults/closing_gate.hpp"
#include "checker/faults/window.hpp"

namespace weir::checker {

namespace {

// A thread that sleeps in the kernel may wait for this very task. Of what was opened for the call some is closed again,
// the rest left open: the call may still need it.
void pass_sleepers(ThreadState& self) noexcept {
  const ClosingGate gate(self);
  for (ThreadState* thread = state->threads; thread != nullptr; thread = thread->next) {
    if (thread == &self || !thread->has_window || !thread->stepping_call) continue;
    if (!platform::thread_sleeps(thread->number)) continue;
    if (!close_for_sleeper(*thread)) ++state->unseen;
    close_window(*thread);
  }
}

// It may come late: to a hook, or to a thread that has come back meanwhile.
void on_stop(int, void*, void*) noexcept {
  ThreadState& thread = this_thread();
  const bool is_busy = thread.in_handler || thread.stepping || thread.has_window;
  if (state.pointer == nullptr || is_busy || !thread.works_for_task()) return;
  come_back(thread);
  go_at_large(thread);
}

}  // namespace

void go_at_large(ThreadState& thread) noexcept {
  if (!thread.works_for_task()) return;
  for (;;) {
    thread.at_large = true;
    if (state->windows == 0) break;
    come_back(thread);
    thread.held = 0;
    state->waits_for_windows = true;
    for (int round = 0; state->windows != 0; ++round) {
      if (round % 32 == 31) pass_sleepers(thread);
      wait_a_little(round);
    }
  }
  state->waits_for_windows = false;
  thread.hold_calls();
}

base::Status install_stop_handler() {
  if (const int why = platform::install_handler(platform::kStopSignal, &on_stop))
    return {base::Code::unsupported,
            fmt::format("weir check cannot handle signal {}: {}", platform::kStopSignal, std::strerror(why))};
  return base::Status::success();
}

}  // namespace weir::checker
