// SPDX-License-Identifier: Apache-2.0

#include "checker/hooks/turn.hpp"

#include <pthread.h>

#include <cerrno>
#include <utility>

#include "checker/checker.hpp"
#include "checker/faults/closing_gate.hpp"
#include "checker/faults/standstill.hpp"
#include "checker/faults/window.hpp"

namespace weir::checker {

// A thread takes it once, however deep its hooks are: what the compiler cannot follow.
void take_turn(ThreadState& thread) WEIR_NOT_ANALYSED {
  if (!thread.uses_runtime) {
    thread.uses_runtime = true;
    come_back(thread);
  }
  if (thread.turn++ == 0) state->turn.lock();
}
void give_turn(ThreadState& thread) WEIR_NOT_ANALYSED {
  if (--thread.turn == 0) state->turn.unlock();
}

namespace {

constexpr std::uintptr_t kThreadBytes = 2304;  // of the C library's record of a thread

// `whole`: for what is not known; otherwise for what hooks touch.
void pause_thread(ThreadState& thread, bool whole) {
  if (thread.pauses++ != 0) return;
  come_back(thread);
  thread.held = 0;
  if (thread.run == nullptr) return;
  const ClosingGate gate(thread);
  if (whole || !state->watch.is_closed())
    state->watch.open(true);
  else
    state->watch.open_for_hook();
}
void resume_thread(ThreadState& thread) {
  if (--thread.pauses != 0) return;
  if (thread.run != nullptr) {
    const ClosingGate gate(thread);
    state->watch.close_again();
  }
  thread.hold_calls();
  go_at_large(thread);
}

}  // namespace

void prepare(ThreadState& thread) {
  if (thread.prepared) return;
  thread.prepared = true;
  platform::unblock_faults();
  const auto record = reinterpret_cast<std::uintptr_t>(pthread_self());
  const auto error = reinterpret_cast<std::uintptr_t>(&errno);
  const ClosingGate gate(thread);
  for (const std::uintptr_t address : {record, record + kThreadBytes, error, page_of_thread_record()})
    state->watch.leave_out(address);
}

void hold_system_calls(ThreadState& thread) {
  if (thread.holds_system_calls || !can_hold_system_calls()) return;
  platform::unblock_faults();
  thread.holds_system_calls = platform::hold_system_calls(&thread.held);
}

void Checker::pause() noexcept {
  ThreadState& thread = this_thread();
  take_turn(thread);
  prepare(thread);
  pause_thread(thread, false);
}
void Checker::resume() noexcept {
  ThreadState& thread = this_thread();
  resume_thread(thread);
  give_turn(thread);
}

// Between the two the thread is without the turn, if it had it.
int Checker::begin_wait() noexcept WEIR_NOT_ANALYSED {
  ThreadState& thread = this_thread();
  pause_thread(thread, true);
  const int depth = std::exchange(thread.turn, 0);
  if (depth != 0) state->turn.unlock();
  return depth;
}
void Checker::end_wait(int depth) noexcept WEIR_NOT_ANALYSED {
  ThreadState& thread = this_thread();
  if (depth != 0) {
    state->turn.lock();
    const ClosingGate gate(thread);
    state->running = thread.run;
  }
  thread.turn = depth;
  resume_thread(thread);
}

}  // namespace weir::checker
