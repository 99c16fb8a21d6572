// SPDX-License-Identifier: Apache-2.0

// What a Runtime owns, and how handles and threads find it again.
//
// Live runtimes have a number each, below 2^16. It marks the upper bits of the generation of every task of a runtime,
// so that a handle, two words, is enough to find the runtime. Of runtimes that have a number one after the other each
// has generations above those of the ones before. All functions: any thread, unless they say otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "machine/machine.hpp"
#include "runtime/block_runtime.hpp"
#include "runtime/kept.hpp"
#include "runtime/named_by.hpp"
#include "sched/scheduler.hpp"
#include "trace/recorder.hpp"
#include "weir/runtime.hpp"

namespace weir {

namespace runtime {

class Checkpointing;
class Explaining;

struct State {
  State();
  ~State();

  std::unique_ptr<trace::Recorder> recorder;  // null: nothing is traced; outlives all that records
  std::unique_ptr<trace::Summary> summary;    // when a layer above takes the blocks before the runtime ends
  std::uint64_t started = 0, ended = 0;       // trace::Track::now() when it was made, and when all had ended
  std::unique_ptr<sched::Scheduler> scheduler;
  std::unique_ptr<runtime::BlockRuntime> blocks;          // ends before the scheduler that it submits to
  runtime::Kept kept;                                     // blocks and watched arrays that wait for their tasks
  std::unique_ptr<runtime::Explaining> explaining;        // null: switched off; ends first
  std::unique_ptr<runtime::Checkpointing> checkpointing;  // null: neither written nor read; ends before the blocks
  bool restarts = false;                                  // it skips tasks; the maker's, as the next
  std::uint64_t blocks_made = 0;                          // outside of tasks, by the maker
  std::uint64_t id = 0;                                   // unique in the process, never used again
  std::uint16_t number = 0;
  std::uint64_t first_generation = 0;        // its tasks have later ones
  std::atomic<std::uint32_t> completing{0};  // DONE-2: threads that end what tasks wait for; waited for at the end
  std::atomic<std::uint64_t> late_ends{0};   // Completions that nobody has completed yet, for quiescence_of()
  std::thread::id maker;                     // worker 0
  std::atomic<bool> maker_has_ended{false};
  std::uint32_t visits = 0;  // of threads that have no part in it (Visit); under the register's lock, as the next
  bool takes_visits = false;
  std::uint32_t forks = 0;  // forks of the process before it was made; one more, and this is a child of the maker
};

}  // namespace runtime

struct Runtime::State final : runtime::State {};

namespace detail {
struct RuntimeAccess {
  using State = runtime::State;
  static State* state(const Runtime& runtime) noexcept { return runtime.state_; }
  static Runtime* make(const Options& options, const TierSource& tiers) { return new Runtime(options, &tiers); }
};
}  // namespace detail

namespace runtime {

inline constexpr int kNumberShift = NamedBy::kNumberShift;  // of the generation

// How many fork() calls lie between this process and the first: what another number was noted for belongs to a parent.
std::uint32_t forks_so_far() noexcept;
// This process is a child of the one that made it, and has none of its threads.
bool made_before_fork(const State& state) noexcept;

// Gives `state` an id and a number. Throws weir::Error when 65535 runtimes live.
void enrol(State& state);
// Nobody finds it any more; waits until those who visit it have left.
void strike_off(State& state) noexcept;

// The calling thread's worker in that runtime; makes it a guest at its first call. Throws weir::Error when there are
// too many guests; ends the process in a forked child.
sched::Worker& worker_in(State& state);
// The calling thread's worker in that runtime; null when it has none.
sched::Worker* find_worker_in(State& state) noexcept;
// The task with that generation is of that runtime, which lives: by the number, and by where those that had the number
// before have left off.
inline bool is_of(const sched::Scheduler& scheduler, std::uint64_t generation) noexcept {
  const std::uint64_t first = scheduler.first_generation();
  return generation > first && (generation ^ first) >> kNumberShift == 0;
}
// The runtime of the task with that generation has ended, or is of a parent process. Its memory may be gone.
bool has_ended_with_runtime(std::uint64_t generation) noexcept;
// The runtime with that number, of this process, or none. It does not end before the Visit. Who visits waits for
// nothing but tasks.
class Visit {
 public:
  Visit() = default;  // of none
  explicit Visit(std::uint64_t number) noexcept;
  Visit(const Visit& other) noexcept;
  Visit& operator=(const Visit&) = delete;
  ~Visit();
  State* state() const noexcept { return state_; }

 private:
  State* state_ = nullptr;
  bool counted_ = false;  // else the calling thread works for it
};
// Visits each.
void for_each_live(const std::function<void(State& state)>& f);
// On the thread that made it, in no task.
bool is_outside(State& state) noexcept;
// On the thread that made it; on any once that thread has ended.
bool may_end_here(const State& state) noexcept;
// The same for the runtime of which the task is.
sched::Worker& worker_for(detail::TaskRef ref);
// The worker whose task or thread this is; throws weir::Error when the thread has no runtime.
sched::Worker& this_worker();
// As this_worker(), null when there is none.
sched::Worker* find_this_worker() noexcept;

// The thread that makes a runtime is its worker 0 until it destroys it. That thread only.
void enter(State& state);
void leave(State& state) noexcept;

}  // namespace runtime

}  // namespace weir
