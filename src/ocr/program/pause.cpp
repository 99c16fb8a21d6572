// SPDX-License-Identifier: Apache-2.0

#include "ocr/program/pause.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "platform/barrier.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<bool> pausing{false};
}  // namespace detail

namespace {

struct PauseState {
  base::Mutex mutex;
  std::condition_variable changed;
  const void* pauser WEIR_GUARDED_BY(mutex) = nullptr;            // a ProgramLocal, or a Halt
  std::vector<const sched::Worker*> held WEIR_GUARDED_BY(mutex);  // whose next EDT does not begin
  bool suspended WEIR_GUARDED_BY(mutex) = false;  // the pauser waits for something, and EDTs run until it goes on
  const Program* ended_unbegun WEIR_GUARDED_BY(mutex) = nullptr;  // no EDT of it begins any more; it stays paused
};
PauseState& pause_state() noexcept {
  static base::Forever<PauseState> the_state;
  return the_state.value;
}

// Whether EDTs run, but for the pauser's and those that wait. Asked again and again, since what runs reports nothing
// when it ends.
bool others_run(Program& program, const PauseState& state) WEIR_REQUIRES(state.mutex) {
  const void* const pauser = state.pauser;
  bool any = false;
  program.for_each_local([&](const ProgramLocal& local) {
    if (&local != pauser && local.activity.running.load(std::memory_order_acquire)) any = true;  // PAUSE-1
  });
  return any;
}

// Returns when none runs, and none begins before resume().
void stop_others(Program& program, base::Lock& lock, PauseState& state) WEIR_REQUIRES(state.mutex) {
  detail::pausing.store(true, std::memory_order_release);
  platform::heavy_barrier();  // PAUSE-1
  while (others_run(program, state)) lock.wait_for(state.changed, std::chrono::microseconds(50));
}

}  // namespace

namespace {

bool keeps_off(const ProgramLocal& local, const PauseState& state) WEIR_REQUIRES(state.mutex) {
  return state.pauser != nullptr && !state.suspended && !local.program.shutting_down();
}

void wait_for_resume(ProgramLocal& local, PauseState& state, base::Lock& lock) WEIR_REQUIRES(state.mutex) {
  if (state.pauser == &local) return;
  // PAUSE-1: the pauser sees what this thread has done.
  const bool was_running = local.activity.running.exchange(false, std::memory_order_acq_rel);
  while (keeps_off(local, state)) lock.wait(state.changed);
  local.activity.running.store(was_running, std::memory_order_release);
}

}  // namespace

bool wait_while_paused(ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  base::Lock lock(state.mutex);
  state.held.push_back(local.worker);
  wait_for_resume(local, state, lock);
  std::erase(state.held, local.worker);
  return state.ended_unbegun != &local.program;
}

void enter_running(ProgramLocal& local, bool running) noexcept {
  if (!running) return;
  local.activity.running.store(true, std::memory_order_release);
  platform::light_barrier();  // PAUSE-1
  if (!is_pausing()) return;
  PauseState& state = pause_state();
  base::Lock lock(state.mutex);
  wait_for_resume(local, state, lock);
}

bool pause(ProgramLocal& local, bool wait) {
  PauseState& state = pause_state();
  base::Lock lock(state.mutex);
  if (state.pauser == &local) return false;
  if (state.pauser != nullptr) {
    if (!wait) return false;
    // It counts as paused while it waits, or two that pause would wait for one another.
    // PAUSE-1, as above.
    const bool was_running = local.activity.running.exchange(false, std::memory_order_acq_rel);
    while (state.pauser != nullptr) lock.wait(state.changed);
    local.activity.running.store(was_running, std::memory_order_release);
  }
  state.pauser = &local;
  stop_others(local.program, lock, state);
  return true;
}

bool suspend_pause(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != &local) return false;
  state.suspended = true;
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
  return true;
}

void continue_pause(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  base::Lock lock(state.mutex);
  state.suspended = false;
  stop_others(local.program, lock, state);
}

bool is_paused_by(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  return state.pauser == &local;
}

void resume(ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != &local) return;
  state.pauser = nullptr;
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
}

// STILL-1: what a worker does after `running` became false follows from the end of its EDT. It has done all that when
// it rests, or is about to begin another one: what ended before has been reported by then (Runner::flush()), but for
// scopes that the next one is in as well.
Halt::State Halt::look() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != nullptr && state.pauser != this) return State::others_pause;
  if (state.pauser == nullptr) {
    state.pauser = this;
    detail::pausing.store(true, std::memory_order_release);
    platform::heavy_barrier();  // PAUSE-1
  }
  if (others_run(program_, state)) return State::edts_run;
  bool still = !program_.has_late();
  const std::span<const sched::Worker* const> held(state.held);
  program_.scheduler().for_each_worker([&](const sched::Worker& worker) {
    const bool is_held = std::find(held.begin(), held.end(), &worker) != held.end();
    still = still && (is_held || worker.rests() || worker.idle());
  });
  return still ? State::still : State::unsettled;
}

void Halt::end() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != this) return;
  state.pauser = nullptr;
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
}

// The flag stays: who is about to begin an EDT has to come here. None of those that come when the program has been shut
// down, and wait no more, finds that it may begin.
void Halt::end_unbegun(std::uint8_t code) noexcept {
  PauseState& state = pause_state();
  {
    const base::Lock lock(state.mutex);
    if (state.pauser != this) return;
    state.ended_unbegun = &program_;
  }
  program_.shut_down(code);
  const base::Lock lock(state.mutex);
  state.pauser = nullptr;
  state.changed.notify_all();
}

}  // namespace weir::ocr
