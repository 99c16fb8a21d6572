// SPDX-License-Identifier: Apache-2.0

// The checker of a process: what runtime/ and ocr/ tell it while `weir check` watches, and nothing otherwise.
//
// From start() on, tasks run one at a time, each with only the memory of its footprint accessible; what a task does
// beside that is told to `weir check`, and the run goes on. docs/checking.md says what is seen; docs/decisions has why.
//
// Any thread may call everything. What hooks touch is opened to them: make a Pause first, or a WaitPause around what
// runs other tasks.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "check/judge/run.hpp"
#include "weir/footprint.hpp"
#include "weir/options.hpp"

namespace weir::check {

namespace detail {
extern bool is_active;
}
// Whether `weir check` watches this process. Never changes once a runtime was made.
inline bool active() noexcept { return detail::is_active; }

// At the start of each runtime: connects when WEIR_CHECK is set, and changes the options to what a checked run needs.
base::Status start(Options& options);
// A runtime has ended, all its tasks, too.
void runtime_ended();

// A task from its spawning to its end.
struct TaskRecord;

struct NewTask {
  const void* scope = nullptr;  // of its siblings
  const char* name = nullptr;
  const void* site = nullptr;   // where it was spawned: what the call returns to; null: the caller's frames say it
  std::uintptr_t function = 0;  // that runs it
  std::span<const Item> items;  // by which it may touch memory
  std::span<const Access> footprint;  // by which it is ordered among its siblings
  std::span<const std::uint64_t> after;
  std::uint64_t id = 0;  // by which `after` and waited_for() mean it
};
TaskRecord* announce(const NewTask& task);
// The watched array that an item is a section of.
void watch_array(const void* scope, const Partition& partition);

// The thread is about to run the task's function: nothing else is accessible. `runner` is in the function that calls
// it; null: that is the caller.
[[gnu::noinline]] void begin(TaskRecord& task, const void* runner = nullptr);
// It has returned (`completely`: without an exception). The record is gone.
void end(TaskRecord* task, bool completely);
// It will not run. The record is gone.
void drop(TaskRecord* task);

// All tasks of the scope have ended, and whoever waited goes on.
void waited(const void* scope);
void waited_for(const void* scope, std::uint64_t id);

// ---- fork_join(), and the loops that are made of it: two parts that may run at the same time ----

// The first part begins, the second one, both are over; `half` is the same for all three, innermost first. Outside of
// tasks the parts are looked at as a task that declares nothing; `scope` is of the tasks beside it. The parts run on
// the calling thread, one after the other.
bool follows_forks();  // false: there were so many that this one is run without being looked at
void fork(const void* half, const void* scope);
void second_part(const void* half);
void join(const void* half, const void* scope);

// Blocks, each on pages of its own; `strict`: closed outside of tasks, too. Null when there is no memory.
void* allocate_block(std::size_t bytes, const char* name, bool strict = true);
// The program has been given its address to use it outside of tasks, from now on.
void hand_out_block(const void* block);
// What has it is told from now on that it is gone.
void free_block(void* block);

// ---- Tasks that events make ready, and that get blocks and give them up while they run ----

// An EDT that the running one makes. Order is by what causes it to start: depends_on_cause(). `finish`: its end comes
// after that of the EDTs that it makes.
TaskRecord* announce_edt(const char* name, std::uintptr_t function, bool finish);
void set_items(TaskRecord& task, std::span<const Item> items);
// Of the running task, when there is one: it may, or may no more, touch the memory of the item.
void acquire(const Item& item);
void release(const void* block);
// The running task has done something with the block that is not an access to its memory.
void use(const void* block);

// Something in the order of things; null: nothing is known.
class Cause;
const Cause* end_of(const TaskRecord& task);
// What the calling thread does now happens because of that as well, until the next call. Returns what was before.
const Cause* set_cause(const Cause* cause);
const Cause* current_cause();
// What the calling thread has done up to now, and its cause.
const Cause* here();
// After both; either may be null.
const Cause* both(const Cause* a, const Cause* b);
// An event, in the generations that some kinds of events have.
struct EventKey {
  std::uint64_t event = 0, generation = 0;
  friend bool operator==(const EventKey&, const EventKey&) = default;
  std::size_t hash() const noexcept { return hash_of(event, generation); }
};
// It has been satisfied, by the running task and the cause; what it has been satisfied by.
void satisfied(EventKey event);
const Cause* cause_of(EventKey event);
// The task comes after here().
void depends_on_cause(TaskRecord& task);
// The running task, or the thread outside of tasks, goes on after the cause.
void waited_for_cause(const Cause* cause);

// While it exists the calling thread may touch everything, and no other thread runs a task.
class Pause {
 public:
  Pause() noexcept;
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};
// The same, but others may run tasks, and so may the thread itself.
class WaitPause {
 public:
  WaitPause() noexcept;
  ~WaitPause();
  WaitPause(const WaitPause&) = delete;
  WaitPause& operator=(const WaitPause&) = delete;

 private:
  int depth_ = 0;
};

}  // namespace weir::check
