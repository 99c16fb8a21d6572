// SPDX-License-Identifier: Apache-2.0

// Hooks: what runtime/ and ocr/ report to the checker while `weir check` watches this process.
//
// The checker is a library of its own (src/checker), which start() loads into a process that `weir check` has started;
// any other process has nothing of it but active(), which says no.
//
// Any thread may call everything. What hooks touch is opened to them: make a Pause first, or a WaitPause around what
// runs other tasks.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "check/item.hpp"
#include "weir/options.hpp"

namespace weir::check {

// The environment variable by which `weir check` says where it listens, and where the library is: "SOCKET:PATH".
inline constexpr const char* kVariable = "WEIR_CHECK";

// Its value that is for OpenSHMEM programs: libweir-shmem checks their calls. There a runtime is as if it was not set.
inline constexpr const char* kForShmem = "1";
// libweir-shmem has started in this process.
void leave_to_shmem() noexcept;

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

// Something in the order of things; null: nothing is known.
class Cause;

// An event, in the generations that some kinds of events have.
struct EventKey {
  std::uint64_t event = 0, generation = 0;
  friend bool operator==(const EventKey&, const EventKey&) = default;
  std::size_t hash() const noexcept { return hash_of(event, generation); }
};

class Hooks {
 public:
  // At the start of each runtime: connects to `weir check` at the first, and changes the options to what a checked run
  // needs.
  virtual base::Status start(Options& options, const char* socket) = 0;
  // A runtime has ended, all its tasks, too.
  virtual void runtime_ended() = 0;

  virtual TaskRecord* announce(const NewTask& task) = 0;
  // The watched array that an item is a section of.
  virtual void watch_array(const void* scope, const Partition& partition) = 0;
  // The thread is about to run the task's function: nothing else is accessible. `runner` is in the function that calls
  // it; null: that is the caller.
  virtual void begin(TaskRecord& task, const void* runner = nullptr) = 0;
  // It has returned (`completely`: without an exception). The record is gone.
  virtual void end(TaskRecord* task, bool completely) = 0;
  // It will not run. The record is gone.
  virtual void drop(TaskRecord* task) = 0;
  // The running task ends later than its function returns: until then others may touch, for it, what it names.
  virtual void ends_later() = 0;
  // All tasks of the scope have ended, and whoever waited goes on.
  virtual void waited(const void* scope) = 0;
  virtual void waited_for(const void* scope, std::uint64_t id) = 0;

  // fork_join(), and the loops that are made of it: two parts that may run at the same time. The first part begins, the
  // second one, both are over; `half` is the same for all three, innermost first. Outside of tasks the parts are looked
  // at as a task that declares nothing; `scope` is of the tasks beside it. The parts run on the calling thread, one
  // after the other.
  virtual bool follows_forks() = 0;  // false: there were so many that this one is run without being looked at
  virtual void fork(const void* half, const void* scope) = 0;
  virtual void second_part(const void* half) = 0;
  virtual void join(const void* half, const void* scope) = 0;

  // Blocks, each on pages of its own; `strict`: closed outside of tasks, too. Null when there is no memory.
  virtual void* allocate_block(std::size_t bytes, const char* name, bool strict = true) = 0;
  // The program has been given its address to use it outside of tasks, from now on.
  virtual void hand_out_block(const void* block) = 0;
  // What touches it from now on is reported: it is gone. `is_copy`: of a block elsewhere, which lives on.
  virtual void free_block(void* block, bool is_copy = false) = 0;

  // Tasks that events make ready, and that get blocks and give them up while they run.
  // An EDT that the running one makes. It comes after here(), and after what else causes it to start:
  // depends_on_cause(). `finish`: its end comes after that of the EDTs that it makes.
  virtual TaskRecord* announce_edt(const char* name, std::uintptr_t function, bool finish) = 0;
  virtual void set_items(TaskRecord& task, std::span<const Item> items) = 0;
  // Of the running task, when there is one: it may, or may no more, touch the memory of the item.
  virtual void acquire(const Item& item) = 0;
  virtual void release(const void* block) = 0;
  // The running task has done something with the block that is not an access to its memory.
  virtual void use(const void* block) = 0;

  virtual const Cause* end_of(const TaskRecord& task) = 0;
  // What the calling thread does now happens because of that as well, until the next call. Returns what was before.
  virtual const Cause* set_cause(const Cause* cause) = 0;
  virtual const Cause* current_cause() = 0;
  // While `serves` the calling thread does what another process asks for, which is no part of the task that the thread
  // may be in the midst of: that has only the cause before it. While paused.
  virtual void serve(bool serves) noexcept = 0;
  // What the calling thread has done up to now, and its cause.
  virtual const Cause* here() = 0;
  // After both; either may be null.
  virtual const Cause* both(const Cause* a, const Cause* b) = 0;
  // It has been satisfied, by the running task and the cause; what it has been satisfied by.
  virtual void satisfied(EventKey event) = 0;
  virtual const Cause* cause_of(EventKey event) = 0;
  // The task comes after here().
  virtual void depends_on_cause(TaskRecord& task) = 0;
  // The running task, or the thread outside of tasks, goes on after the cause.
  virtual void waited_for_cause(const Cause* cause) = 0;

  // The calling thread may touch everything, and no other thread runs a task, until resume().
  virtual void pause() noexcept = 0;
  virtual void resume() noexcept = 0;
  // The same, but others may run tasks, and so may the thread itself. Returns what end_wait() wants.
  virtual int begin_wait() noexcept = 0;
  virtual void end_wait(int depth) noexcept = 0;

 protected:
  ~Hooks() = default;
};

// The one function of the library that is called by its name. Null: it is of another version than `version`.
// `*is_active`: what active() says.
inline constexpr const char* kEntry = "weir_check_hooks";
using Entry = Hooks*(const char* version, bool* is_active);

namespace detail {
extern bool is_active;
extern Hooks* the_hooks;
}  // namespace detail

// Whether `weir check` watches this process. Never changes once a runtime was made.
inline bool active() noexcept { return detail::is_active; }
// While active().
inline Hooks& hooks() noexcept { return *detail::the_hooks; }

// At the start of each runtime. Nothing unless `weir check` has started the process; otherwise loads the checker, and
// calls Hooks::start().
base::Status start(Options& options);

class Pause {
 public:
  Pause() noexcept { hooks().pause(); }
  ~Pause() { hooks().resume(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

class WaitPause {
 public:
  WaitPause() noexcept : depth_(hooks().begin_wait()) {}
  ~WaitPause() { hooks().end_wait(depth_); }
  WaitPause(const WaitPause&) = delete;
  WaitPause& operator=(const WaitPause&) = delete;

 private:
  const int depth_;
};

}  // namespace weir::check
