// SPDX-License-Identifier: Apache-2.0

#include "sched/worker.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "platform/clock.hpp"
#include "platform/prefetch.hpp"
#include "platform/thread_state.hpp"
#include "sched/fork.hpp"
#include "sched/gate.hpp"
#include "sched/scheduler.hpp"

namespace weir::sched {

thread_local constinit Worker* Worker::current_ = nullptr;

namespace {
constexpr std::uint64_t kReportBatch = 32;  // children that may have ended here before their scope is told
// Stolen tasks between two looks at the clock where no scope is told: each waits for all loads that are under way.
constexpr std::uint64_t kJudgeBatch = 128;

// Of a task made on another core, so that the lines arrive while it runs. A hint: the list may grow meanwhile. Only
// edges in the task's own memory are followed; those elsewhere would have to be waited for.
void prefetch_successors(const Task& task) noexcept {
  const auto* const start = reinterpret_cast<const std::byte*>(&task);
  const auto* const end = start + detail::kSlotBytes[task.size_class];
  for (const Edge* e = task.successors.newest(); e != nullptr; e = e->next) {
    const auto* const at = reinterpret_cast<const std::byte*>(e);
    if (at < start || at >= end) return;
    __builtin_prefetch(reinterpret_cast<void*>(e->target & ~std::uintptr_t{1}), 1);
  }
}

constexpr std::uint32_t kPrefetchAhead = 20;  // stolen tasks; docs/tuning.md#lines
static_assert(kPrefetchAhead > Hand::kMost);
constexpr std::uint32_t kStealMoreAt = kPrefetchAhead + Hand::kMost;  // so many are left; docs/tuning.md#more

// The lines behind the header: the closure, and the edges to its own successors.
void prefetch_body(const Task& task) noexcept {
  __builtin_prefetch(&task + 1);
  if (task.size_class > 1) __builtin_prefetch(&task + 2);
}

// What a traced run records of one task; its header may be gone when it has run.
class TracedTask {
 public:
  explicit TracedTask(Task& task) noexcept
      : id_(trace_id(task.ref())),
        start_(trace::Track::now()),
        name_(task.note.name()),
        wanted_(task.note.extra() == nullptr ? -1 : task.note.extra()->domain) {}
  void tried_to_begin(trace::Track* track) noexcept {
    const std::uint64_t now = trace::Track::now();
    track->stage(start_, now, id_);
    start_ = now;
  }
  void has_run(trace::Track* track, bool cancelled) const noexcept {
    track->task(start_, trace::Track::now(), id_, name_, cancelled, wanted_);
  }

 private:
  const std::uint64_t id_;
  std::uint64_t start_;
  const char* const name_;
  const int wanted_;  // domain
};
struct NotTraced {
  explicit NotTraced(const Task&) noexcept {}
  void tried_to_begin(const trace::Track*) const noexcept {}
  void has_run(const trace::Track*, bool) const noexcept {}
};
}  // namespace

void Worker::be_this_thread() noexcept {
  platform::know_this_stack();
  thread_.store(platform::this_thread_number(), std::memory_order_relaxed);
}

Worker::Worker(Scheduler& scheduler, int index, int domain)
    : frame_(&root_),
      random_(static_cast<std::uint32_t>(index) * 0x9e3779b9u + 1),
      heap_(static_cast<std::uint16_t>(index), scheduler.first_generation()),
      scheduler_(&scheduler),
      lot_(&scheduler.lot(domain)),
      queues_(&scheduler.queues(domain)),
      index_(index),
      domain_(domain) {
  sleeper_.domain = domain;
}

bool Worker::is_guest() const noexcept { return !spare_ && index_ >= scheduler_->worker_count(); }

Worker::~Worker() {
  delete root_.children;
  for (Frame* frame = root_.inner; frame != nullptr;) delete std::exchange(frame, static_cast<Frame*>(frame->inner));
}

void Waiter::notify() noexcept {
  Worker* worker = worker_;                      // the waiter may be gone once done_ is set
  done_.store(true, std::memory_order_release);  // WAIT-1
  worker->unpark();
}

// ---- Running ----

Worker::Item Worker::next_local() noexcept {
  if (!queues_->urgent.empty()) [[unlikely]] {
    if (Task* task = queues_->urgent.try_pop()) return reinterpret_cast<Item>(task);
  }
  if (next_ != nullptr) return reinterpret_cast<Item>(std::exchange(next_, nullptr));
  if (!mail_.empty()) [[unlikely]] {
    if (Task* task = mail_.try_pop()) return reinterpret_cast<Item>(task);
  }
  // Now and then the inbox first, or a busy deque would starve it.
  if ((++ticks_ & 63u) == 0 && !queues_->ready.empty()) [[unlikely]] {
    if (Task* task = queues_->ready.try_pop()) return reinterpret_cast<Item>(task);
  }
  if (spoils_ != 0) {
    if (const Item item = next_spoil()) return item;
  } else if (const Item item = deque_.pop()) [[likely]] {
    return item;
  }
  spoils_ = 0;
  if (!overflowed_.empty()) [[unlikely]] {
    if (Overflow::Batch* const batch = overflowed_.take_newest()) return take_batch(*batch);
  }
  return queues_->ready.empty() ? 0 : reinterpret_cast<Item>(queues_->ready.try_pop());
}

// To be run and ended here: the header, and the line behind it, which most of it is in, where the stolen ones before
// had one.
inline void Worker::prefetch_stolen(Item item) const noexcept {
  const auto* const task = reinterpret_cast<const Task*>(item & ~StealDeque::kAlone);
  platform::prefetch_to_write(task);
  if (stolen_class_ != 0) platform::prefetch_to_write(task + 1);
}

// One of what it stole. While those are tiny they are taken from the deque a handful at a time.
inline Worker::Item Worker::next_spoil() noexcept {
  if (hand_.empty() && policy::is_tiny({0, pace_ns_.load(std::memory_order_relaxed)}))
    static_cast<void>(hand_.fill(deque_));
  Item item = hand_.take();
  if (item == 0) item = deque_.pop();
  const std::uint32_t left = hand_.left();
  if (--spoils_ < left)
    spoils_ = left;
  else if (spoils_ >= kPrefetchAhead && item != 0)
    prefetch_stolen(deque_.peek(kPrefetchAhead - 1 - left));
  if (spoils_ == kStealMoreAt && deque_.size() <= kStealMoreAt) [[unlikely]]  // else it has made some itself
    steal_more();
  return item;
}

void Worker::push_reversed(const Item* items, std::uint32_t count) noexcept {
  if (deque_.push_reversed(items, count)) [[likely]]
    return wake_for_work();
  for (std::uint32_t i = count; i > 0; --i) push(items[i - 1]);
}

// The first of them to run, the others are in the deque, where the first comes next: they were made, and lie in memory,
// in that order.
Worker::Item Worker::take_batch(const StealDeque::Batch& batch, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < std::min(count, kPrefetchAhead + 1); ++i) prefetch_stolen(batch[i]);
  if (count > 1) push_reversed(&batch[1], count - 1);
  spoils_ += count - 1;
  return batch[0];
}

// The same for several, the oldest first. Their lines come from another core all at once, and those of the tasks then
// one after the other without a pause between two batches.
Worker::Item Worker::take_batches(std::span<Overflow::Batch* const> batches) noexcept {
  for (const Overflow::Batch* batch : batches) platform::prefetch_to_read(batch, sizeof *batch);
  for (std::size_t b = batches.size() - 1; b > 0; --b) {
    Overflow::Batch& batch = *batches[b];
    push_reversed(batch.items.data(), batch.count);
    spoils_ += batch.count;
    Overflow::give_back(&batch);
  }
  const Item first = take_batch(batches[0]->items, batches[0]->count);
  Overflow::give_back(batches[0]);
  return first;
}

Worker::Item Worker::take_batch(Overflow::Batch& batch) noexcept {
  platform::prefetch_to_write(&batch, sizeof batch);
  victim_ = nullptr;  // its own tasks
  const Item first = take_batch(batch.items, batch.count);
  Overflow::give_back(&batch);
  return first;
}

void Worker::run_traced(Condition& condition) noexcept {
  const std::uint64_t start = trace::Track::now();
  while (!condition.done()) {
    if (retreat_until_ns_ != 0) retreat(condition);
    Item item = next_local();
    if (item == 0) {
      const std::uint64_t searches = trace::Track::now();
      item = search(condition);
      track_->search(searches);
    }
    if (item != 0) run<true>(item);
  }
  track_->wait(start, condition.what(), condition.whose());
}

template <bool kTraced>
inline void Worker::run_task(Task* task) noexcept {
  Scope* const scope = task->scope;
  if (scope != ended_scope_ && ended_count_ != 0) [[unlikely]]
    flush();
  std::conditional_t<kTraced, TracedTask, NotTraced> traced(*task);
  TaskExtra* const extra = task->note.extra();
  if (extra != nullptr && extra->hooks != nullptr) [[unlikely]] {
    const bool begins = extra->hooks->try_begin(*this, *task);
    traced.tried_to_begin(track_);
    if (!begins) return;
  }
  // What is worth stealing may have successors whose lines are with others.
  if (task->heap != heap_.index() || !policy::is_tiny({0, pace_ns()})) prefetch_successors(*task);
  Frame& frame = enter(task);
  const bool cancelled = scope->failed();
  try {
    task->invoke(task->closure(), task, cancelled ? Invoke::destroy : Invoke::run);
  } catch (...) {
    keep_exception(*scope);
  }
  if (cancelled) [[unlikely]]
    WorkerStatistics::add(statistics_.cancelled);
  traced.has_run(track_, cancelled);
  frame_ = frame.outer;
  if (frame.children == nullptr) [[likely]]
    end(task);
  else
    end_or_detach(frame.children);
}

template <bool kTraced>
void Worker::run_half(detail::ForkHalf* half) noexcept {
  flush();
  [[maybe_unused]] const std::uint64_t start = kTraced ? trace::Track::now() : 0;
  Frame& frame = enter(nullptr);
  try {
    half->run(half);
    if (frame.children != nullptr) {
      wait_for_children(*frame.children);
      if (std::exception_ptr failure = frame.children->take_failure()) std::rethrow_exception(failure);
    }
  } catch (...) {
    half->exception = std::current_exception();
    if (frame.children != nullptr) wait_for_children(*frame.children);
  }
  delete frame.children;
  frame_ = frame.outer;
  if constexpr (kTraced) track_->task(start, trace::Track::now(), 0, nullptr, false);
  WorkerStatistics::add(statistics_.run);
  notify_fork_owner(*half);
}

template <bool kTraced>
void Worker::run(Item item) noexcept {
  if ((item & StealDeque::kAlone) == 0) [[likely]] {
    run_task<kTraced>(reinterpret_cast<Task*>(item));
  } else {
    run_half<kTraced>(reinterpret_cast<detail::ForkHalf*>(item & ~StealDeque::kAlone));
  }
}
template void Worker::run<false>(Item item) noexcept;
template void Worker::run<true>(Item item) noexcept;

void Worker::keep_exception(Scope& scope) noexcept {
  if (!scope.fail(std::current_exception())) WorkerStatistics::add(statistics_.dropped);
}

Frame& Worker::add_frame() noexcept {
  auto* const frame = new Frame;  // no memory for it: the end, as for the stack that it stands for
  frame->outer = frame_;
  frame_->inner = frame;
  return *frame;
}

// ---- Ending ----

void Worker::end(Task* task) noexcept {
  Scope* const scope = task->scope;
  TaskExtra* const extra = task->note.extra();
  if (extra != nullptr && extra->hooks != nullptr) [[unlikely]]
    extra->hooks->end(*this, *task);
  if (Edge* edges = task->successors.close()) release_successors(edges);
  WorkerStatistics::add(statistics_.run);
  const bool foreign = task->heap != heap_.index();
  free(task);
  count_ended(scope, foreign);
}

// The newest edge comes first, so the oldest successor last: it is the one that runs next, here, where its data is.
// Successors were made, and arrived at, by other cores: all their lines are asked for before the first is needed.
void Worker::release_successors(Edge* edge) noexcept {
  for (const Edge* e = edge->next; e != nullptr; e = e->next) {
    __builtin_prefetch(reinterpret_cast<void*>(e->target & ~std::uintptr_t{1}), 1);
  }
  while (edge != nullptr) {
    Edge* const next = edge->next;  // the successor, and an edge in its memory, may be gone once it is released
    if ((edge->target & 1) == 0) [[likely]] {
      Task* successor = reinterpret_cast<Task*>(edge->target);
      if (successor->arrivals.arrive(index_)) {
        const int home = successor->arrivals.home(index_);
        if (home != index_) [[unlikely]] {
          mail(successor, home);
        } else {
          prefetch_body(*successor);
          make_next(successor);
        }
      }
    } else {
      notify(edge->target);
    }
    edge = next;
  }
}

void Worker::notify(std::uintptr_t target) noexcept {
  if (Gates::is_gate(target)) return Gates::pass(target);
  reinterpret_cast<Waiter*>(target & ~std::uintptr_t{1})->notify();
}

// To the worker that ran most of what the task comes after. A thief that finds nothing else takes it from there.
void Worker::mail(Task* task, int home) noexcept {
  Worker& other = scheduler_->worker(home);
  if (task->note.extra() != nullptr || other.queues_ != queues_ || !other.has_permit()) return make_next(task);
  if (lot_->has_surplus() && other.rests()) return make_next(task);  // another works in its place
  other.mail_.push(task);
  if (lot_->someone_sleeps()) other.unpark();
  wake_for_work();  // the other may be away in the program's own code
}

void Worker::make_next(Task* task) noexcept {
  if (task->note.extra() != nullptr) [[unlikely]] {
    submit(task);
    return;
  }
  if (next_ != nullptr) push(reinterpret_cast<Item>(next_));
  next_ = task;
}

void Worker::give_away_next() noexcept { push(reinterpret_cast<Item>(std::exchange(next_, nullptr))); }

void Worker::give_away_hand() noexcept {
  std::array<Item, Hand::kMost> items;
  std::uint32_t count = 0;
  while (const Item item = hand_.take()) items[count++] = item;
  if (count != 0) push_reversed(items.data(), count);
}

void Worker::end_or_detach(Scope* children) noexcept {
  children->before_wait();
  if (children->detach() == Scope::Done::end_parent) end_parent(children);
}

// All children of a task whose function has returned have ended: so has the task, unless it has others to wait for.
void Worker::end_parent(Scope* children) noexcept {
  Task* const task = children->parent();
  std::exception_ptr failure = children->take_failure();
  Scope* const more = children->close(failure);
  if (failure && !task->scope->fail(std::move(failure))) WorkerStatistics::add(statistics_.dropped);
  if (more != nullptr) [[unlikely]]
    return end_or_detach(more);
  end(task);
}

void Worker::free(Task* task) noexcept {
  delete task->note.extra();
  if (task->heap == heap_.index()) [[likely]] {
    heap_.free(task);
    return;
  }
  free_elsewhere(task);
}

void Worker::give_up(Task* task) noexcept {
  if (Edge* gates = task->successors.close()) release_successors(gates);
}

void Worker::abandon(Task* task) noexcept {
  give_up(task);
  free(task);
}

void Worker::free_elsewhere(Task* task) noexcept {
  TaskHeap& home = scheduler_->heap(task->heap);
  if (freed_ != nullptr && (freed_heap_ != &home || freed_->count == FreeBatch::kTasks)) {
    freed_heap_->free_remote(std::exchange(freed_, nullptr));
  }
  if (freed_ == nullptr) freed_ = heap_.empty_batch();
  freed_heap_ = &home;
  stolen_class_ = task->size_class;
  freed_->add(*task);
}

void Worker::count_ended(Scope* scope, bool foreign) noexcept {
  Worker* const owner = scope->owner();
  if (owner == this && scope->try_count_ended_here()) [[likely]]
    return;
  if (scope != ended_scope_ && ended_count_ != 0) flush();
  ended_scope_ = scope;
  ++ended_count_;
  if (owner == this) return flush();
  const bool reports = owner != nullptr;  // else nobody looks before the last has ended
  foreign_runs_ += reports || foreign ? 1 : 0;
  if (reports ? ended_count_ < std::int64_t{kReportBatch} : !foreign || foreign_runs_ % kJudgeBatch != 0) return;
  if (reports) flush();
  if (stole_at_ns_ != 0) judge_spoils(platform::now_ns());
}

void Worker::give_back(Scope* scope, std::int64_t count) noexcept {
  if (scope != ended_scope_ && ended_count_ != 0) flush();
  ended_scope_ = scope;
  ended_count_ += count;
}

void Worker::flush() noexcept {
  if (freed_ != nullptr) freed_heap_->free_remote(std::exchange(freed_, nullptr));
  if (flushing_) return;  // called by the loop below, which goes on: a chain of parents takes no stack
  flushing_ = true;
  bool ended_parent = false;
  while (ended_count_ != 0)
    ended_parent |= report(std::exchange(ended_scope_, nullptr), std::exchange(ended_count_, 0));
  flushing_ = false;
  // What became ready must not hide behind what this worker does next, which may take long.
  if (ended_parent && next_ != nullptr) give_away_next();
}

// True when a parent ended by it.
bool Worker::report(Scope* scope, std::int64_t count) noexcept {
  Worker* const owner = scope->owner();  // the scope may be gone after subtract()
  const Scope::Ended ended = scope->subtract(count);
  if (ended.done == Scope::Done::end_parent) {
    end_parent(scope);
    return true;
  }
  if (ended.done == Scope::Done::wake_owner || ended.progress) owner->unpark();
  return false;
}

// ---- Queues beside the own deque ----

void Worker::submit_elsewhere(Task* task) noexcept {
  const TaskExtra& extra = *task->note.extra();
  if (extra.hooks != nullptr && !extra.hooks->on_ready(*this, *task)) return;
  const int domain = extra.domain < 0 ? domain_ : extra.domain;
  DomainQueues& queues = scheduler_->queues(domain);
  if (extra.priority == Priority::urgent) {
    queues.urgent.push(task);
  } else if (extra.priority == Priority::background) {
    queues.background.push(task);
  } else if (domain == domain_) {
    push(reinterpret_cast<Item>(task));
    return;
  } else {
    queues.ready.push(task);
  }
  if (domain != domain_)
    scheduler_->lot(domain).wake_in_domain(domain);
  else if (lot_->should_wake())
    wake_one();
}

// The oldest make room, or the task itself goes when the oldest cannot.
void Worker::overflow(Item item) noexcept {
  WEIR_CHECK((item & StealDeque::kAlone) == 0, "the half of a fork_join() has no other place than the deque");
  Overflow::Batch* const batch = overflowed_.empty_batch();
  batch->count = deque_.take_oldest(batch->items);
  const bool fits = batch->count != 0;
  if (!fits) {
    batch->items[0] = item;
    batch->count = 1;
  }
  overflowed_.put(batch);
  if (fits) static_cast<void>(deque_.push(item));
}

}  // namespace weir::sched
