// SPDX-License-Identifier: Apache-2.0

// Hooks of tasks: their spawning, running and end, and waits.
#include <algorithm>

#include "checker/faults/closing_gate.hpp"
#include "checker/faults/library_calls.hpp"
#include "checker/faults/standstill.hpp"
#include "checker/faults/window.hpp"
#include "checker/hooks/tables.hpp"
#include "checker/hooks/turn.hpp"
#include "checker/tell/frames.hpp"

namespace weir::checker {

void Checker::watch_array(const void* scope, const Partition& partition) {
  const Region& whole = partition.whole;
  WatchedRegion region;
  region.extent = {
      reinterpret_cast<std::uintptr_t>(whole.base), whole.row_bytes, {1, whole.rows}, {0, whole.stride_bytes}};
  region.kind = RegionKind::array;
  if (region.extent.empty()) return;
  watch_region(scope_of(scope), region);
}

namespace {

bool may_overlap(const Extent& a, const Extent& b) noexcept {
  return !a.empty() && !b.empty() && a.base < b.end() && b.base < a.end();
}

void watch_items(TaskRecord& record, Scope& scope, std::span<const Item> items) {
  for (const Item& item : items) {
    if (item.extent.empty()) continue;
    WatchedRegion region;
    region.extent = item.extent;
    region.kind = RegionKind::memory;
    region.declarer = record.run.task;
    const RegionId id = watch_region(scope, region);
    ++scope.regions[id];
    record.regions.push_back(id);
  }
}

// The parent goes on beside the child, and ends after it; what it has handed down it has touched.
void order_after_parent(Run& parent, Run& child, const void* scope) {
  settle(parent);
  parent.segment->shared = true;
  for (Item& item : parent.items)
    if (std::any_of(child.items.begin(), child.items.end(),
                    [&](const Item& own) { return may_overlap(item.extent, own.extent); }))
      item.touched = true;
  parent.own_scope = scope;
  child.end->parent_end = parent.end;
  Order::add_edge(parent.segment, child.segment);
  Order::add_edge(child.end, parent.end);
}

}  // namespace

TaskRecord* Checker::announce(const NewTask& task) {
  ThreadState& thread = this_thread();
  const TaskInfo* const info = info_of(task.name, task.site, task.function, false);
  Scope& scope = scope_of(task.scope);
  auto* const record = new TaskRecord(info);
  record->scope = task.scope;
  Run& run = record->run;
  run.restricted = !task.items.empty();
  run.items.assign(task.items.begin(), task.items.end());
  watch_items(*record, scope, task.items);
  run.segment = state->order.make(info);
  run.end = state->order.make(info);
  if (thread.run != nullptr)
    order_after_parent(*thread.run, run, task.scope);
  else if (scope.segment != nullptr)
    Order::add_edge(scope.segment, run.segment);
  for (const std::uint64_t id : task.after)
    if (const auto found = tables->ends.find(id); found != tables->ends.end())
      Order::add_edge(found->second, run.segment);
  scope.map.analyse(scope.graph, scope.graph.add(run.segment, run.end), task.footprint);
  scope.ends.push_back(run.end);
  tables->ends[task.id] = run.end;
  ++tables->unfinished;
  return record;
}

namespace {

void finish_record(TaskRecord* task) {
  if (const auto scope = tables->scopes.find(task->scope); scope != tables->scopes.end()) {
    for (const RegionId id : task->regions) {
      const auto found = scope->second->regions.find(id);
      if (found != scope->second->regions.end() && found->second != 0) --found->second;
    }
  }
  if (tables->unfinished != 0) --tables->unfinished;
  delete task;
}

}  // namespace

void Checker::begin(TaskRecord& task, const void* runner) {
  ThreadState& thread = this_thread();
  take_turn(thread);
  Run& run = task.run;
  take_turns(run);
  prepare(thread);
  hold_system_calls(thread);
  redirect_new_modules();
  run.outer = thread.run;
  run.pauses = thread.pauses;
  run.stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  run.runner = start_of_function(runner != nullptr ? runner : __builtin_return_address(0));
  run.record = &task;
  run.thread = &thread;
  run.exact = state->all_exact ? Run::kAll : run.task->site->exact_of_next();
  ++state->tasks;
  {
    const ClosingGate gate(thread);
    thread.run = state->running = &run;
    thread.pauses = 0;
    state->watch.close();
  }
  thread.hold_calls();
  go_at_large(thread);
}

// A device, say, of which nothing is seen.
void Checker::ends_later() {
  Run* const run = this_thread().run;
  if (run == nullptr) return;
  for (Item& item : run->items) item.touched = true;
}

void Checker::end(TaskRecord* task, bool completely) {
  ThreadState& thread = this_thread();
  Run& run = task->run;
  come_back(thread);
  thread.held = 0;
  {
    const ClosingGate gate(thread);
    state->watch.open(false);
    thread.run = state->running = run.outer;
    thread.pauses = run.pauses;
  }
  settle(run);
  if (!run.beside.empty()) {
    const ClosingGate gate(thread);
    forget_beside(run);
  }
  for (const Item& item : run.items) give_up_turn(run, item);
  run.task->site->accesses += run.accesses;
  Order::add_edge(run.segment, run.end);
  if (task->finished != nullptr) Order::add_edge(run.end, task->finished);
  state->order.ended(run.end);
  if (completely) count_items(run);
  if (run.in_part) ++state->tasks_in_part;
  if (run.own_scope != nullptr && !run.is_program) {
    Scope& own = scope_of(run.own_scope);
    scope_of(task->scope).regions.merge(own.regions);
    forget_regions(own);  // those that the scope around has, too
    tables->scopes.erase(run.own_scope);
  }
  finish_record(task);
  give_turn(thread);
  thread.hold_calls();
}

void Checker::drop(TaskRecord* task) {
  const Pause pause;
  state->order.ended(task->run.end);
  finish_record(task);
}

void Checker::waited(const void* scope) {
  Scope& data = scope_of(scope);
  Run* const run = this_thread().run;
  if (run != nullptr) {
    settle(*run);
    run->segment = checker::join(run->segment, run->task, data.ends);
  } else {
    data.segment = checker::join(data.segment, nullptr, data.ends);
  }
  data.ends.clear();
  data.map.reset(data.graph);
  data.graph.clear();
  forget_regions(data);
  if (run == nullptr) forget_order_if_still();
}

void Checker::waited_for(const void* scope, std::uint64_t id) {
  const auto found = tables->ends.find(id);
  if (found == tables->ends.end()) return;
  Run* const run = this_thread().run;
  Segment* const end = found->second;
  if (run != nullptr) {
    settle(*run);
    run->segment = checker::join(run->segment, run->task, {&end, 1});
  } else {
    Scope& data = scope_of(scope);
    data.segment = checker::join(data.segment, nullptr, {&end, 1});
  }
  if (scope != nullptr) forget_unused_regions(scope_of(scope));
}

}  // namespace weir::checker
