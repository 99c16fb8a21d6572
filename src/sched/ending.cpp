// SPDX-License-Identifier: Apache-2.0

// What follows the end of a task: its successors become ready, its memory goes home, its scope is notified.
#include <utility>

#include "sched/policy/placement.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

void Runner::give_up(Task* task) noexcept {
  if (Edge* gates = task->successors.close()) release_successors(gates);
}

void Runner::abandon(Task* task) noexcept {
  give_up(task);
  free(task);
}

void Runner::free_elsewhere(Task* task) noexcept {
  TaskHeap& home = team().peer(task->heap).heap();
  if (freed_ != nullptr && (freed_heap_ != &home || freed_->count == FreeBatch::kTasks)) {
    freed_heap_->free_remote(std::exchange(freed_, nullptr));
  }
  if (freed_ == nullptr) freed_ = heap().empty_batch();
  freed_heap_ = &home;
  thief_.note_size_class(task->size_class);
  freed_->add(*task);
}

void Runner::give_back(Scope* scope, std::int64_t count) noexcept {
  if (scope != ended_scope_ && ended_count_ != 0) flush();
  ended_scope_ = scope;
  ended_count_ += count;
}

void Runner::flush() noexcept {
  if (freed_ != nullptr) freed_heap_->free_remote(std::exchange(freed_, nullptr));
  if (flushing_) return;  // called by the loop below, which goes on: a chain of parents takes no stack
  flushing_ = true;
  bool ended_parent = false;
  while (ended_count_ != 0)
    ended_parent |= report(std::exchange(ended_scope_, nullptr), std::exchange(ended_count_, 0));
  flushing_ = false;
  // What became ready must not hide behind what this worker does next, which may take long.
  if (ended_parent && queues().has_next()) queues().give_away_next();
}

// True when a parent ended by it.
bool Runner::report(Scope* scope, std::int64_t count) noexcept {
  Worker* const owner = scope->owner();  // the scope may be gone after subtract()
  const Scope::Ended ended = scope->subtract(count);
  if (ended.done == Scope::Done::end_parent) {
    end_parent(scope);
    return true;
  }
  if (ended.done == Scope::Done::wake_owner || ended.progress) owner->unpark();
  return false;
}

// ---- Where a ready task goes ----

// To the worker that ran most of what the task comes after. A thief that finds nothing else takes it from there.
void Runner::send_home(Task* task, int home) noexcept {
  static_assert(policy::whom_to_wake({policy::Source::mailbox, 0}, 0) == policy::Wake::home);
  Peer& other = team().peer(static_cast<std::size_t>(home));
  ParkingLot& lot = queues().lot();
  const policy::Home seen{.is_here = false,
                          .same_domain = other.domain() == domain(),
                          .runs_tasks = other.has_permit(),
                          .is_replaced = lot.has_surplus() && other.rests(),
                          .task_is_plain = task->note.is_plain()};
  if (policy::place_released(seen) != policy::Source::mailbox) return make_next(task);
  other.queues().deliver(task);
  if (lot.someone_sleeps()) other.unpark();
  queues().wake_for_work();
}

void Runner::submit_with_wishes(Task* task) noexcept {
  TaskNote& note = task->note;
  if (note.is_held()) {
    if (track() != nullptr && note.extra() != nullptr) note.extra()->held_since = trace::Track::now();
    if (!note.let_go()) return;  // EDGE-5
  }
  TaskHooks* const hooks = note.hooks();
  if (hooks != nullptr && !hooks->on_ready(self_, *task)) return;
  if (note.is_prompt() && Prompt::try_run(*this, *task)) return;
  const policy::Destination to = policy::place(note.wishes(), {domain(), true});
  if (to.source == policy::Source::deque) return queues().push(reinterpret_cast<Item>(task));
  team().queues(to.domain).inbox(to.source).push(task);
  if (policy::whom_to_wake(to, domain()) == policy::Wake::one_of_domain)
    team().lot(to.domain).wake_in_domain(to.domain);
  else if (queues().lot().should_wake())
    queues().wake_one();
}

bool Prompt::try_run(Runner& runner, Task& task) noexcept {
  if (runner.runs_promptly_) return false;
  if (task.note.is_held()) static_cast<void>(task.note.let_go());  // EDGE-5
  runner.runs_promptly_ = true;
  const Runner::Here outer = Runner::enter(&runner.self_);  // the thread may have become another runtime's worker
  runner.run_one(reinterpret_cast<Runner::Item>(&task));
  Runner::leave(outer);
  runner.runs_promptly_ = false;
  runner.flush();  // a worker that looks for work has done so already, and may sleep next
  return true;
}

}  // namespace weir::sched
