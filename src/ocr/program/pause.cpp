// SPDX-License-Identifier: Apache-2.0

#include "ocr/program/pause.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "ocr/program/pause_api.hpp"
#include "ocr/system/system.hpp"
#include "platform/barrier.hpp"

namespace weir::ocr {

namespace detail {
constinit std::atomic<bool> pausing{false};
}  // namespace detail

namespace {

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  const Local* pauser = nullptr;  // guarded by mutex
  bool suspended = false;         // guarded by mutex: the pauser waits for something, and EDTs run meanwhile
};
Gate& gate() noexcept {
  static Gate& the_gate = *new Gate;
  return the_gate;
}

// EDTs that run, but for the pauser's and those that wait at the gate: looked at again and again, since what runs does
// not tell when it ends.
bool others_run(System& system, const Gate& gate) {
  bool any = false;
  system.for_each_local([&](const Local& local) {
    if (&local != gate.pauser && local.running.load(std::memory_order_acquire)) any = true;
  });
  return any;
}

// Returns when none runs, and none begins before resume().
void stop_others(std::unique_lock<std::mutex>& lock, Gate& gate) {
  detail::pausing.store(true, std::memory_order_release);
  platform::heavy_barrier();  // PAUSE-1
  while (others_run(*System::running(), gate)) gate.changed.wait_for(lock, std::chrono::microseconds(50));
}

}  // namespace

void wait_while_paused(Local& local) noexcept {
  Gate& the_gate = gate();
  std::unique_lock lock(the_gate.mutex);
  if (the_gate.pauser == &local) return;
  const bool was_running = local.running.exchange(false, std::memory_order_acq_rel);
  the_gate.changed.wait(
      lock, [&] { return the_gate.pauser == nullptr || the_gate.suspended || System::running()->shutting_down(); });
  local.running.store(was_running, std::memory_order_release);
}

void enter_running(Local& local, bool running) noexcept {
  if (!running) return;
  local.running.store(true, std::memory_order_release);
  platform::light_barrier();  // PAUSE-1
  if (is_pausing()) wait_while_paused(local);
}

bool pause(Local& local, bool wait) {
  Gate& the_gate = gate();
  std::unique_lock lock(the_gate.mutex);
  if (the_gate.pauser == &local) return false;
  if (the_gate.pauser != nullptr) {
    if (!wait) return false;
    // Counts as paused meanwhile, or two that pause would wait for one another.
    const bool was_running = local.running.exchange(false, std::memory_order_acq_rel);
    the_gate.changed.wait(lock, [&] { return the_gate.pauser == nullptr; });
    local.running.store(was_running, std::memory_order_release);
  }
  the_gate.pauser = &local;
  stop_others(lock, the_gate);
  return true;
}

bool suspend_pause(const Local& local) noexcept {
  Gate& the_gate = gate();
  const std::lock_guard lock(the_gate.mutex);
  if (the_gate.pauser != &local) return false;
  the_gate.suspended = true;
  detail::pausing.store(false, std::memory_order_release);
  the_gate.changed.notify_all();
  return true;
}

void continue_pause() noexcept {
  Gate& the_gate = gate();
  std::unique_lock lock(the_gate.mutex);
  the_gate.suspended = false;
  stop_others(lock, the_gate);
}

bool is_paused_by(const Local& local) noexcept {
  Gate& the_gate = gate();
  const std::lock_guard lock(the_gate.mutex);
  return the_gate.pauser == &local;
}

void resume(Local& local) noexcept {
  Gate& the_gate = gate();
  const std::lock_guard lock(the_gate.mutex);
  if (the_gate.pauser != &local) return;
  the_gate.pauser = nullptr;
  detail::pausing.store(false, std::memory_order_release);
  the_gate.changed.notify_all();
}

}  // namespace weir::ocr
