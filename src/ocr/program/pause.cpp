// SPDX-License-Identifier: Apache-2.0

#include "ocr/program/pause.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "platform/barrier.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<bool> pausing{false};
}  // namespace detail

namespace {

struct PauseState {
  std::mutex mutex;
  std::condition_variable changed;
  const ProgramLocal* pauser = nullptr;  // guarded by mutex
  bool suspended = false;  // guarded by mutex; the pauser waits for something, and EDTs run until it goes on
};
PauseState& pause_state() noexcept {
  static PauseState& the_state = *new PauseState;
  return the_state;
}

// Whether EDTs run, but for the pauser's and those that wait. Asked again and again, since what runs reports nothing
// when it ends.
bool others_run(Program& program, const PauseState& state) {
  bool any = false;
  program.for_each_local([&](const ProgramLocal& local) {
    if (&local != state.pauser && local.activity.running.load(std::memory_order_acquire)) any = true;
  });
  return any;
}

// Returns when none runs, and none begins before resume().
void stop_others(Program& program, std::unique_lock<std::mutex>& lock, PauseState& state) {
  detail::pausing.store(true, std::memory_order_release);
  platform::heavy_barrier();  // PAUSE-1
  while (others_run(program, state)) state.changed.wait_for(lock, std::chrono::microseconds(50));
}

}  // namespace

void wait_while_paused(ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  std::unique_lock lock(state.mutex);
  if (state.pauser == &local) return;
  const bool was_running = local.activity.running.exchange(false, std::memory_order_acq_rel);
  state.changed.wait(lock, [&] { return state.pauser == nullptr || state.suspended || local.program.shutting_down(); });
  local.activity.running.store(was_running, std::memory_order_release);
}

void enter_running(ProgramLocal& local, bool running) noexcept {
  if (!running) return;
  local.activity.running.store(true, std::memory_order_release);
  platform::light_barrier();  // PAUSE-1
  if (is_pausing()) wait_while_paused(local);
}

bool pause(ProgramLocal& local, bool wait) {
  PauseState& state = pause_state();
  std::unique_lock lock(state.mutex);
  if (state.pauser == &local) return false;
  if (state.pauser != nullptr) {
    if (!wait) return false;
    // It counts as paused while it waits, or two that pause would wait for one another.
    const bool was_running = local.activity.running.exchange(false, std::memory_order_acq_rel);
    state.changed.wait(lock, [&] { return state.pauser == nullptr; });
    local.activity.running.store(was_running, std::memory_order_release);
  }
  state.pauser = &local;
  stop_others(local.program, lock, state);
  return true;
}

bool suspend_pause(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const std::lock_guard lock(state.mutex);
  if (state.pauser != &local) return false;
  state.suspended = true;
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
  return true;
}

void continue_pause(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  std::unique_lock lock(state.mutex);
  state.suspended = false;
  stop_others(local.program, lock, state);
}

bool is_paused_by(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const std::lock_guard lock(state.mutex);
  return state.pauser == &local;
}

void resume(ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const std::lock_guard lock(state.mutex);
  if (state.pauser != &local) return;
  state.pauser = nullptr;
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
}

}  // namespace weir::ocr
