// SPDX-License-Identifier: Apache-2.0

#include "ocr/program/pause.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "check/hooks.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "platform/barrier.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<bool> pausing{false};
}  // namespace detail

namespace {

// Between two looks whether the program ends, of which nothing notifies.
constexpr auto kLookForOthersEnd = std::chrono::milliseconds(10);

struct PauseState {
  base::Mutex mutex;
  std::condition_variable changed;
  const void* pauser WEIR_GUARDED_BY(mutex) = nullptr;            // a ProgramLocal, a FarPauser, or a Halt
  std::vector<sched::Worker*> wanting WEIR_GUARDED_BY(mutex);     // that wait until they may pause
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

// None begins from now on.
void raise_flag() noexcept {
  detail::pausing.store(true, std::memory_order_release);
  platform::heavy_barrier();  // PAUSE-1
}
void lower_flag(PauseState& state) noexcept {
  detail::pausing.store(false, std::memory_order_release);
  state.changed.notify_all();
}
void wake_wanting(PauseState& state) WEIR_REQUIRES(state.mutex) {
  for (sched::Worker* const worker : state.wanting) worker->unpark();
}

// Returns when none runs, and none begins before resume(); or when the program ends.
void stop_others(Program& program, base::Lock& lock, PauseState& state) WEIR_REQUIRES(state.mutex) {
  raise_flag();
  while (others_run(program, state) && !program.shutting_down())
    lock.wait_for(state.changed, std::chrono::microseconds(50));
}

void end_pause_of(const void* pauser, PauseState& state) WEIR_REQUIRES(state.mutex) {
  if (state.pauser != pauser) return;
  state.pauser = nullptr;
  state.suspended = false;
  lower_flag(state);
  wake_wanting(state);
}

bool suspend_pause_of(const void* pauser, PauseState& state) WEIR_REQUIRES(state.mutex) {
  if (state.pauser != pauser) return false;
  state.suspended = true;
  lower_flag(state);
  return true;
}

bool keeps_off(const ProgramLocal& local, const PauseState& state) WEIR_REQUIRES(state.mutex) {
  return state.pauser != nullptr && !state.suspended && !local.program.shutting_down();
}

void wait_for_resume(ProgramLocal& local, PauseState& state, base::Lock& lock) WEIR_REQUIRES(state.mutex) {
  if (state.pauser == &local) return;
  // PAUSE-1: the pauser sees what this thread has done.
  const bool was_running = local.activity.running.exchange(false, std::memory_order_acq_rel);
  while (keeps_off(local, state)) lock.wait_for(state.changed, kLookForOthersEnd);
  local.activity.running.store(was_running, std::memory_order_release);
}

// One that wants to pause waits as for an event: others run in its place, of which the one that pauses may need some.
// It counts as paused, or two that pause would wait for one another. Returns when the condition is true.
template <class C>
void wait_to_pause(ProgramLocal& local, C& condition) {
  PauseState& state = pause_state();
  {
    const base::Lock lock(state.mutex);
    state.wanting.push_back(local.worker);
  }
  {
    std::optional<check::WaitPause> pause;
    if (check::active()) [[unlikely]]
      pause.emplace();
    local.worker->wait_until(condition);
  }
  const base::Lock lock(state.mutex);
  state.wanting.erase(std::find(state.wanting.begin(), state.wanting.end(), local.worker));
}

// No other one pauses, or the program ends.
class NonePauses final : public sched::Condition {
 public:
  explicit NonePauses(const Program& program) noexcept : program_(program) {}
  bool done() noexcept override {
    PauseState& state = pause_state();
    const base::Lock lock(state.mutex);
    return state.pauser == nullptr || program_.shutting_down();
  }
  bool prepare_to_sleep() noexcept override { return !done(); }

 private:
  const Program& program_;
};

class TurnHasCome final : public sched::Condition {
 public:
  TurnHasCome(const Program& program, const std::atomic<std::uint64_t>& turn, std::uint64_t mine) noexcept
      : program_(program), turn_(turn), mine_(mine) {}
  bool has_come() const noexcept { return turn_.load() == mine_; }
  bool done() noexcept override { return has_come() || program_.shutting_down(); }
  bool prepare_to_sleep() noexcept override { return !done(); }

 private:
  const Program& program_;
  const std::atomic<std::uint64_t>& turn_;
  const std::uint64_t mine_;
};

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
  while (state.pauser != nullptr) {
    if (!wait || local.program.shutting_down()) return false;
    lock.unlock();
    NonePauses condition(local.program);
    wait_to_pause(local, condition);
    lock.lock();
  }
  state.pauser = &local;
  stop_others(local.program, lock, state);
  return true;
}

bool suspend_pause(const ProgramLocal& local) noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  return suspend_pause_of(&local, state);
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
  end_pause_of(&local, state);
}

void forget_pauses() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  state.ended_unbegun = nullptr;
  end_pause_of(state.pauser, state);
}

// ---- Over ranks ----

bool wait_for_turn(ProgramLocal& local, const std::atomic<std::uint64_t>& turn, std::uint64_t mine) {
  TurnHasCome condition(local.program, turn, mine);
  wait_to_pause(local, condition);
  return condition.has_come();
}

void wake_pausers() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  wake_wanting(state);
}

// The last checkpoint may be about to end on this rank.
bool FarPauser::stop() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != nullptr && state.pauser != this) return false;
  if (state.pauser == nullptr || state.suspended) raise_flag();
  state.pauser = this;
  state.suspended = false;
  return !others_run(program_, state);
}

void FarPauser::suspend() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  static_cast<void>(suspend_pause_of(this, state));
}

void FarPauser::resume() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  end_pause_of(this, state);
}

// ---- Halt ----

// STILL-1: what a worker does after `running` became false follows from the end of its EDT. It has done all that when
// it rests, or is about to begin another one: what ended before has been reported by then (Runner::flush()), but for
// scopes that the next one is in as well.
Halt::State Halt::look() noexcept {
  PauseState& state = pause_state();
  const base::Lock lock(state.mutex);
  if (state.pauser != nullptr && state.pauser != this) return State::others_pause;
  if (state.pauser == nullptr) {
    state.pauser = this;
    raise_flag();
  }
  if (others_run(program_, state)) return State::edts_run;
  if (!state.wanting.empty()) return State::others_pause;
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
  end_pause_of(this, state);
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
