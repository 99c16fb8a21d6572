// SPDX-License-Identifier: Apache-2.0

// Worker: a thread that runs tasks, with its deque, its heap and its place to sleep.
//
// The thread that made the runtime, the runtime's own threads, and any other thread of the program that spawns or
// waits (a guest) each are one Worker. Unless a function says otherwise, only that thread calls it. docs/protocols/
// has the argument for each structure used here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include "base/hooks.hpp"
#include "base/layout.hpp"
#include "base/result.hpp"
#include "platform/fresh_stack.hpp"
#include "sched/hand.hpp"
#include "sched/inbox.hpp"
#include "sched/overflow.hpp"
#include "sched/parking_lot.hpp"
#include "sched/permits.hpp"
#include "sched/policy/steal.hpp"
#include "sched/scope.hpp"
#include "sched/steal_deque.hpp"
#include "sched/task.hpp"
#include "sched/task_heap.hpp"
#include "trace/track.hpp"
#include "weir/parallel.hpp"

namespace weir::sched {

class Blocking;
class Scheduler;
struct DomainQueues;

// What the worker is executing: a task, the stolen half of a fork_join() (task null), or nothing (the thread is
// outside of tasks, task null and outer null). The worker's for ever: a frame is used again by what runs at its depth.
struct Frame {
  base::Shown<Task*> task = nullptr;
  base::Shown<Scope*> children = nullptr;     // opened at the first spawn
  base::Shown<std::uintptr_t> waits_for = 0;  // Condition::subject() while it runs others meanwhile; 0: it does not
  Frame* outer = nullptr;
  base::Shown<Frame*> inner = nullptr;  // of what runs on top of it; null: none ever has
};

// What a thread that runs tasks meanwhile waits for.
class Condition {
 public:
  virtual bool done() noexcept = 0;
  // Makes sure that the worker is unparked when done() becomes true. False: it is true already.
  virtual bool prepare_to_sleep() noexcept = 0;
  // For traces.
  virtual trace::WaitFor what() const noexcept { return trace::WaitFor::other; }
  virtual std::uint64_t whose() const noexcept { return 0; }  // the task of trace::WaitFor
  // What it is about, for who explains what waits: subject_of() a scope, a task, or nothing. Never 0.
  virtual std::uintptr_t subject() const noexcept { return subject_of(what(), nullptr); }

  static std::uintptr_t subject_of(trace::WaitFor what, const void* of) noexcept {
    return reinterpret_cast<std::uintptr_t>(of) | (static_cast<std::uintptr_t>(what) + 1);
  }
  static trace::WaitFor what_of(std::uintptr_t subject) noexcept {
    return static_cast<trace::WaitFor>((subject & kWhatMask) - 1);
  }
  static const void* of(std::uintptr_t subject) noexcept { return reinterpret_cast<void*>(subject & ~kWhatMask); }

 protected:
  ~Condition() = default;

 private:
  static constexpr std::uintptr_t kWhatMask = 7;
};

// Somebody waiting for one task; in an Edge with the low bit of the target set. On the waiter's stack.
class Waiter {
 public:
  explicit Waiter(Worker& worker) noexcept : worker_(&worker) {}
  bool done() const noexcept { return done_.load(std::memory_order_acquire); }  // WAIT-1
  void notify() noexcept;
  std::uintptr_t target() noexcept { return reinterpret_cast<std::uintptr_t>(this) | 1; }

 private:
  Worker* worker_;
  std::atomic<bool> done_{false};  // WAIT-1: release by who ends the task, acquire by the waiter
};

struct WorkerStatistics {  // one writer, the worker; any thread reads
  std::atomic<std::uint64_t> run{0}, cancelled{0}, steals{0}, stolen{0}, far_steals{0}, parks{0}, dropped{0};
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

class alignas(base::kDestructiveSize) Worker {
 public:
  using Item = StealDeque::Item;

  Worker(Scheduler& scheduler, int index, int domain);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The worker whose frame the calling thread is in, or null.
  static Worker* current() noexcept { return current_; }
  static void set_current(Worker* worker) noexcept { current_ = worker; }

  Scheduler& scheduler() const noexcept { return *scheduler_; }
  int index() const noexcept { return index_; }
  int domain() const noexcept { return domain_; }
  // One of those that run tasks in the place of workers that wait.
  bool is_spare() const noexcept { return spare_; }
  // Neither a spare nor one of the threads that the runtime was told to have: a thread of the program's.
  bool is_guest() const noexcept;
  // Any thread. Whether it may take tasks: it has not given its permit up.
  bool has_permit() const noexcept { return permit_.has(); }
  // The system's number of the thread that it is; 0: none yet. Any thread.
  int thread() const noexcept { return thread_.load(std::memory_order_relaxed); }
  void be_this_thread() noexcept;
  Frame& frame() noexcept { return *frame_; }
  // Any thread. Calls f(const Frame&) for what it executes, from the outermost on; each may be another one by then.
  template <class F>
  void for_each_frame(F&& f) const {
    const Frame* const last = frame_.seen();
    for (const Frame* frame = &root_; frame != nullptr; frame = frame->inner.seen()) {
      f(*frame);
      if (frame == last) return;
    }
  }
  // Any thread. In a task that does not wait.
  bool runs_task() const noexcept {
    const Frame* const frame = frame_.seen();
    return frame->task.seen() != nullptr && frame->waits_for.seen() == 0;
  }
  // Any thread: tasks it has spawned, less 15 at most that it has not told yet.
  std::uint64_t spawned() const noexcept { return spawned_.load(std::memory_order_relaxed); }
  // Any thread: what a task took it, when it was last measured; policy::kUnknownPace: it does not know.
  std::uint64_t pace_ns() const noexcept { return pace_ns_.load(std::memory_order_relaxed); }
  TaskHeap& heap() noexcept { return heap_; }
  Scope* root_scope() const noexcept { return root_.children; }  // of the thread outside of tasks; null before a spawn
  const WorkerStatistics& statistics() const noexcept { return statistics_; }
  WorkerStatistics& counters() noexcept { return statistics_; }
  // Where this worker records what it does; null: nowhere.
  trace::Track* track() const noexcept { return track_; }
  // Spawns of all workers that are made from now on take the way round by who traces or checks.
  static void observe_all() noexcept { all_observed = true; }

  // Makes a ready task available: to this worker and to thieves, or to the domain and with the priority it asks for.
  void submit(Task* task) noexcept {
    if (task->note.extra() == nullptr) [[likely]]
      push(reinterpret_cast<Item>(task));
    else
      submit_elsewhere(task);
  }
  // A spawn takes place, ready or not. True: by way of who traces or checks. Thieves look at how fast this grows;
  // published now and then only: a thief that looks takes the line away, and the store would hold up the spawner.
  // One count serves both, so that being able to trace and to check costs a spawn nothing here.
  [[nodiscard]] bool note_spawn() noexcept {
    if (--quiet_spawns_ != 0) [[likely]]
      return false;
    return end_quiet_spawns();
  }

  // The running task makes another, which may do so, too: the few that are ready here may each be the root of many,
  // and how short those were that were measured says nothing.
  void note_recursion() noexcept {
    if (pace_ns_.load(std::memory_order_relaxed) != policy::kUnknownPace && deque_.size() < policy::kFewTiny)
        [[unlikely]]
      forget_pace();
  }

  // Runs tasks until condition.done(), and sleeps when there are none. C is the condition's own class.
  template <class C>
  void run_until(C& condition) noexcept {
    if (platform::stack_is_short()) [[unlikely]] {
      struct Call {
        Worker& worker;
        C& condition;
      } call{*this, condition};
      const auto go_on = [](void* there) {
        static_cast<Call*>(there)->worker.run_until(static_cast<Call*>(there)->condition);
      };
      return platform::run_on_fresh_stack(go_on, &call);
    }
    Worker* const outer = std::exchange(current_, this);  // the thread may work for another runtime, too
    const Rest outer_rest = rest_.load(std::memory_order_relaxed);
    rest_.store(Rest::none, std::memory_order_relaxed);
    Frame& frame = *frame_;
    const std::uintptr_t outer_wait = frame.waits_for;
    frame.waits_for = condition.subject();
    if (track_ != nullptr) [[unlikely]]
      run_traced(condition);
    while (!condition.done()) {
      if (retreat_until_ns_ != 0) [[unlikely]]
        retreat(condition);
      if (const Item item = next_local())
        run<false>(item);
      else if (const Item found = search(condition))
        run<false>(found);
    }
    if (next_ != nullptr) [[unlikely]]
      give_away_next();
    if (!hand_.empty()) [[unlikely]]
      give_away_hand();
    flush();
    frame.waits_for = outer_wait;
    rest_.store(outer_rest, std::memory_order_release);
    current_ = outer;
  }

  // Returns when the condition is true, as run_until(). Where tasks block (blocking.hpp) another thread runs tasks
  // meanwhile; this one runs only those of `own`, whose owner it is, if it has them at hand.
  template <class C>
  void wait_until(C& condition, const Scope* own = nullptr) noexcept;
  // Where tasks block: others run a task each in the place of this one, if there are any. Returns soon without.
  void let_others_run() noexcept;
  // Runs tasks until the condition is true, or the worker is not needed any more: in the place of threads that wait,
  // too. In no task.
  template <class C>
  void serve(C& until) noexcept;

  // Waits for all children of `scope`, whose owner this is. The scope is ready for new ones; its failure is still in
  // it.
  void wait_for_children(Scope& scope) noexcept;
  // The same for a scope of another worker, whose thread does not use the runtime any more. Does not sleep.
  void wait_for_others(Scope& scope) noexcept;
  // The scope has reached its limit of unfinished children: runs some, and sets the next limit.
  [[gnu::noinline]] void throttle(Scope& scope) noexcept;
  void wait_for(TaskRef ref) noexcept;

  // As fork_push() and fork_join_half() of weir/parallel.hpp.
  bool fork(detail::ForkHalf& half) noexcept {
    half.owner = this;
    const Item item = reinterpret_cast<Item>(&half) | StealDeque::kAlone;
    if (!deque_.push(item)) [[unlikely]]
      return false;
    return !lot_->should_wake() || wake_for_half();  // a tail call: nothing to be kept meanwhile
  }
  bool join(detail::ForkHalf& half) noexcept {
    const Item item = deque_.pop();
    if (item == (reinterpret_cast<Item>(&half) | StealDeque::kAlone)) [[likely]]
      return true;
    return join_slow(half, item);
  }

  // Children that were announced by Scope::expect() will not be made; to be called in one that runs, or for one that
  // was never submitted.
  void give_back(Scope* scope, std::int64_t count) noexcept;
  // So many children of the scope have ended here, or were given back, and the scope does not know yet: they count as
  // announced again. False: fewer.
  bool take_again(const Scope* scope, std::int64_t count) noexcept {
    if (ended_scope_ != scope || ended_count_ < count) return false;
    ended_count_ -= count;
    return true;
  }
  // Gives the memory of a task that ended here back to its heap.
  void free(Task* task) noexcept;
  // Never submitted, nor will it be: whoever looks takes it for one that has ended.
  void give_up(Task* task) noexcept;
  // The same, and gives its memory back.
  void abandon(Task* task) noexcept;
  // Reports children that ended here to their scope and gives tasks back to their heaps. Called before anything that
  // may take long.
  void flush() noexcept;

  // The owner is about to wait for something without running tasks meanwhile, which only a layer above can justify.
  void begin_blocking() noexcept;
  void end_blocking() noexcept {
    blocked_.store(false, std::memory_order_release);
    lot_->step_in();
  }
  // Any thread.
  bool blocked() const noexcept { return blocked_.load(std::memory_order_acquire); }

  // Any thread. It runs nothing and is not about to: it sleeps and has not been woken, or its thread is outside of
  // tasks. One that looks for work is not idle: what it waits for may have come, and the system may have taken its
  // core.
  bool idle() const noexcept {
    const Rest rest = rest_.load(std::memory_order_acquire);
    if (rest != Rest::asleep) return rest != Rest::none && rest != Rest::napping;
    constexpr std::uint32_t kAsks = PermitHolder::kGivenUp | PermitHolder::kNotified;
    return !sleeper_.parker.is_woken() && permit_.state.load(std::memory_order_acquire) != kAsks;
  }

  // Any thread. It sleeps for want of work, and nobody has woken it.
  bool rests() const noexcept {
    const Rest rest = rest_.load(std::memory_order_acquire);
    return (rest == Rest::asleep || rest == Rest::napping) && !sleeper_.parker.is_woken();
  }

  // Any thread.
  void unpark() noexcept {
    if (permit_.notify()) [[unlikely]]  // PERMIT-1
      return ask_for_permit();
    sleeper_.parker.unpark();
  }
  bool has_visible_task() const noexcept {
    return deque_.size() != 0 || !mail_.empty() || !overflowed_.empty() || hand_.size() != 0;
  }

  // The body of the runtime's own threads: runs until the scheduler stops.
  void work();
  // The same, once it is granted a permit.
  void work_as_spare();

 private:
  friend class Scheduler;

  void push(Item item) noexcept {
    if (!deque_.push(item)) [[unlikely]]
      overflow(item);
    deque_.prefetch_slot();
    wake_for_work();
  }
  void wake_for_work() noexcept {
    if (lot_->should_wake()) [[unlikely]]
      wake_someone();
  }
  [[gnu::noinline]] void wake_someone() noexcept;
  [[gnu::noinline]] bool wake_for_half() noexcept {
    wake_someone();
    return true;
  }
  void wake_one() noexcept;
  bool end_quiet_spawns() noexcept {
    const bool observed = base::kHooks && observed_;
    quiet_spawns_ = observed ? 1 : kQuietSpawns;
    spawns_ += quiet_spawns_;
    if (spawns_ % kQuietSpawns == 0) spawned_.store(spawns_, std::memory_order_relaxed);
    return observed;
  }
  void push_reversed(const Item* items, std::uint32_t count) noexcept;
  Item next_local() noexcept;
  Item next_spoil() noexcept;
  void prefetch_stolen(Item item) const noexcept;
  Item take_batch(const StealDeque::Batch& batch, std::uint32_t count) noexcept;
  Item take_batch(Overflow::Batch& batch) noexcept;
  Item take_batches(std::span<Overflow::Batch* const> batches) noexcept;
  template <bool kTraced>
  void run(Item item) noexcept;
  template <bool kTraced>
  [[gnu::always_inline]] void run_task(Task* task) noexcept;  // in run(), where it is called
  template <bool kTraced>
  void run_half(detail::ForkHalf* half) noexcept;
  [[gnu::noinline]] void run_traced(Condition& condition) noexcept;  // the loop of run_until()
  Frame& enter(Task* task) noexcept {
    Frame* frame = frame_->inner;
    if (frame == nullptr) [[unlikely]]
      frame = &add_frame();
    frame->task = task;
    frame->children = nullptr;
    frame_ = frame;
    return *frame;
  }
  [[gnu::noinline]] Frame& add_frame() noexcept;
  void end(Task* task) noexcept;
  static void notify(std::uintptr_t target) noexcept;
  void release_successors(Edge* edge) noexcept;
  void make_next(Task* task) noexcept;
  [[gnu::noinline]] void mail(Task* task, int home) noexcept;
  void end_or_detach(Scope* children) noexcept;
  void end_parent(Scope* scope) noexcept;
  [[gnu::noinline]] void free_elsewhere(Task* task) noexcept;
  void count_ended(Scope* scope, bool foreign) noexcept;
  bool report(Scope* scope, std::int64_t count) noexcept;
  void give_away_next() noexcept;
  [[gnu::noinline]] void give_away_hand() noexcept;
  void keep_exception(Scope& scope) noexcept;
  [[gnu::noinline]] void submit_elsewhere(Task* task) noexcept;
  [[gnu::noinline]] void overflow(Item item) noexcept;

  [[gnu::noinline]] bool join_slow(detail::ForkHalf& half, Item item) noexcept;
  bool join_slow_busy(detail::ForkHalf& half, Item item) noexcept;

  // Blocking (blocking.cpp).
  bool block_until(Blocking& layer, Condition& condition, const Scope* own) noexcept;
  void run_children(Condition& condition, const Scope& own) noexcept;
  void give_away_tasks() noexcept;
  bool waits_beside_work(Condition& condition) noexcept;
  base::Status give_up_permit(Condition& condition, bool tasks_first) noexcept;
  [[gnu::noinline]] void ask_for_permit() noexcept;
  bool relieve_another(Condition& until) noexcept;
  bool wait_as_spare(Condition& until) noexcept;

  // Searching (search.cpp).
  [[gnu::noinline]] Item search(Condition& condition) noexcept;
  bool sleep_unless(Condition& condition, bool leaves_work) noexcept;
  bool sleep_listed(Condition& condition, bool leaves_work) noexcept;
  bool must_stay_awake(bool leaves_work) const noexcept;
  bool others_look_later() const noexcept;
  void nap(Condition& condition) noexcept;
  Item look_around(std::uint64_t searched_ns) noexcept;
  Item take_from_domain(DomainQueues& queues) noexcept;
  Item steal_in(DomainQueues& queues, bool far) noexcept;
  Item steal_from(Worker& victim, bool far) noexcept;
  Item take_half_of(Worker& victim) noexcept;
  [[gnu::noinline]] void steal_more() noexcept;
  Item take_mail_of(Worker& victim, bool far) noexcept;
  Item take_overflow_of(Worker& victim) noexcept;
  Item take_hand_of(Worker& victim, bool far) noexcept;
  void begin_spoils(Worker& victim, std::uint32_t tasks, bool far) noexcept;
  void count_steal(const Worker& victim, std::uint32_t tasks, bool far) noexcept;
  int distance_to(int domain) const noexcept;
  bool has_lain_long_enough(const Worker& victim, const policy::Victim& seen, std::uint64_t version) noexcept;
  // What it runs from now on need not be like what was measured.
  void forget_pace() noexcept { pace_ns_.store(policy::kUnknownPace, std::memory_order_relaxed); }
  void judge_spoils(std::uint64_t now_ns) noexcept;
  [[gnu::noinline]] void retreat(Condition& condition) noexcept;
  bool sees_work() const noexcept;
  bool sees_tasks() const noexcept;
  bool deep_in_stack() const noexcept;
  Item found(Item item) noexcept;

  // More workers than processors (surplus.cpp).
  [[gnu::noinline]] bool stand_back(Condition& condition) noexcept;
  bool watch(Condition& condition) noexcept;
  bool leaves_its_processor() const noexcept;
  int count_blocked() const noexcept;
  std::uint32_t count_thefts() const noexcept;
  template <class F>
  void for_each_of_lot(F&& f) const;

  // Whether its thread does nothing for the runtime: outside of tasks, in the program's own code; asleep; asleep for so
  // long at most; polling for what only others can bring about.
  enum class Rest : std::uint8_t { none, outside, asleep, napping, polling };

  static thread_local constinit Worker* current_;
  static inline bool all_observed = false;
  static constexpr std::uint32_t kQuietSpawns = 16;

  // What thieves read; the owner writes it on every push and pop.
  StealDeque deque_;
  Hand hand_;                                                              // stolen and tiny, to be run next
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> spawned_{0};  // owner writes, thieves read
  std::atomic<std::uint64_t> pace_ns_{policy::kUnknownPace};  // owner writes: what a task took it, last measured
  std::atomic<Rest> rest_{Rest::outside};                     // owner writes
  std::atomic<bool> blocked_{false};                          // owner writes

  // Owner only.
  alignas(base::kDestructiveSize) base::Shown<Frame*> frame_;
  Task* next_ = nullptr;          // ready, to be run next: the successor of the task that ended last
  Scope* ended_scope_ = nullptr;  // of children that ended here and have not been reported
  std::int64_t ended_count_ = 0;
  bool flushing_ = false;
  FreeBatch* freed_ = nullptr;  // tasks of freed_heap_ that ended here
  TaskHeap* freed_heap_ = nullptr;
  std::uint8_t stolen_class_ = 1;  // size class of the last of them
  // Spawns until note_spawn() does something, and how many there were then.
  std::uint32_t quiet_spawns_ = kQuietSpawns;
  std::uint64_t spawns_ = 0;
  std::uint64_t stole_at_ns_ = 0;                      // 0: what it stole has been judged
  std::uint32_t stolen_at_once_ = 0;                   // tasks, when it last stole
  std::uint64_t home_pace_ns_ = policy::kUnknownPace;  // what such tasks took their victim
  std::uint64_t foreign_runs_ = 0;                     // tasks of others that it has run since
  std::uint32_t spoils_ = 0;      // of what it stole in batches, so many at most are still in the deque, or in hand
  Worker* victim_ = nullptr;      // whose they are; null: its own, or of another domain
  std::uint64_t retreat_ns_ = 0;  // how long it last kept from stealing
  std::uint64_t retreat_until_ns_ = 0;  // it keeps from running anything: its tasks are for others to take back
  std::uint64_t idle_ns_ = 0;           // that it has searched, slept and kept from running anything so far
  std::uint64_t searched_ns_ = 0;       // when it last looked around
  std::uint32_t naps_ = 0;              // in a row
  std::uint64_t nap_ns_ = policy::kFirstNapNs;
  std::uint64_t watch_ns_ = policy::kFirstWatchNs;
  bool left_tiny_ = false;  // the last look around met a victim whose tasks are tiny
  std::uint32_t ticks_ = 0;
  std::uint32_t random_;
  WorkerStatistics statistics_;
  std::array<policy::Look, 16> looks_{};  // at victims with one task, by victim index
  Frame root_;
  TaskHeap heap_;

  // Read-only after start.
  alignas(base::kDestructiveSize) Scheduler* scheduler_;
  ParkingLot* lot_;
  DomainQueues* queues_;
  trace::Track* track_ = nullptr;
  bool observed_ = false;  // each spawn takes the way round
  bool spare_ = false;
  int index_;
  int domain_;
  std::atomic<int> thread_{0};  // a guest may be several threads in turn

  // Tasks that others made ready and whose data is here.
  Inbox mail_;
  // What the deque had no room for.
  Overflow overflowed_;

  // Written by whoever wakes this worker.
  alignas(base::kDestructiveSize) Sleeper sleeper_;
  PermitHolder permit_{sleeper_.parker};
};

}  // namespace weir::sched
