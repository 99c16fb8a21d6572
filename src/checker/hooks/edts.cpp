// SPDX-License-Identifier: Apache-2.0

// Hooks of EDTs: what they get and give up while they run, and what causes them to start.
#include <utility>

#include "checker/faults/closing_gate.hpp"
#include "checker/hooks/tables.hpp"

namespace weir::checker {

namespace {

// What the calling thread does comes after its task, and after the cause.
void add_causes(Segment* to) {
  const ThreadState& thread = this_thread();
  if (Run* const run = thread.acting()) {
    settle(*run);
    run->segment->shared = true;
    Order::add_edge(run->segment, to);
  } else if (thread.outside != nullptr && !thread.serves) {
    Order::add_edge(thread.outside, to);
  }
  if (thread.cause != nullptr) Order::add_edge(thread.cause, to);
}

}  // namespace

TaskRecord* Checker::announce_edt(const char* name, std::uintptr_t function, bool finish) {
  const ThreadState& thread = this_thread();
  const TaskInfo* const info = thread.serves ? info_of_asked(name, function) : info_of(name, nullptr, function, true);
  auto* const record = new TaskRecord(info);
  Run& run = record->run;
  run.segment = state->order.make(info);
  run.end = state->order.make(info);
  record->finish = finish;
  add_causes(run.segment);
  if (const Run* const maker = thread.acting()) {
    record->finished = maker->record->finish ? maker->end : maker->record->finished;
    run.end->parent_end = record->finished;
  }
  ++tables->unfinished;
  return record;
}

void Checker::set_items(TaskRecord& task, std::span<const Item> items) {
  task.run.items.assign(items.begin(), items.end());
}

namespace {

// Rights to a block's pages are looked up again. Under the gate; what was touched there is settled.
void forget_rights(Run& run, const Extent& extent) {
  for (std::uintptr_t page = page_of(extent.base); page < extent.end(); page += kPageBytes) run.pages.erase(page);
}

}  // namespace

void Checker::acquire(const Item& item) {
  Run* const run = this_thread().acting();
  if (run == nullptr) return;
  settle(*run);
  const ClosingGate gate(this_thread());
  run->items.push_back(item);
  forget_rights(*run, item.extent);
}

void Checker::release(const void* block) {
  Run* const run = this_thread().acting();
  if (run == nullptr) return;
  settle(*run);
  for (const Item& item : run->items)
    if (item.extent.base == reinterpret_cast<std::uintptr_t>(block)) give_up_turn(*run, item);
  const ClosingGate gate(this_thread());
  for (Item& item : run->items) {
    if (item.extent.base != reinterpret_cast<std::uintptr_t>(block) || item.released) continue;
    item.released = true;
    item.reads = item.writes = false;
    item.touched = true;
    forget_rights(*run, item.extent);
  }
}

void Checker::use(const void* block) {
  Run* const run = this_thread().acting();
  if (run == nullptr) return;
  for (Item& item : run->items)
    if (item.extent.base == reinterpret_cast<std::uintptr_t>(block)) item.touched = true;
}

}  // namespace weir::checker
class weir::check::Cause : public weir::checker::Segment {};
namespace weir::checker {

namespace {
Segment* segment_of(const Cause* cause) noexcept { return const_cast<Cause*>(cause); }
const Cause* as_cause(Segment* segment) noexcept { return static_cast<const Cause*>(segment); }
}  // namespace

const Cause* Checker::end_of(const TaskRecord& task) { return as_cause(task.run.end); }

const Cause* Checker::set_cause(const Cause* cause) {
  return as_cause(std::exchange(this_thread().cause, segment_of(cause)));
}
const Cause* Checker::current_cause() { return as_cause(this_thread().cause); }
void Checker::serve(bool serves) noexcept { this_thread().serves = serves; }

const Cause* Checker::here() {
  Segment* const segment = state->order.make(nullptr);
  add_causes(segment);
  return as_cause(segment);
}

const Cause* Checker::both(const Cause* a, const Cause* b) {
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  Segment* const before[] = {segment_of(a), segment_of(b)};
  return as_cause(checker::join(nullptr, nullptr, before));
}

void Checker::satisfied(EventKey event) {
  Segment*& segment = tables->events[event];
  if (segment == nullptr) segment = state->order.make(nullptr);
  add_causes(segment);
}

const Cause* Checker::cause_of(EventKey event) {
  const auto found = tables->events.find(event);
  return found == tables->events.end() ? nullptr : as_cause(found->second);
}

void Checker::depends_on_cause(TaskRecord& task) { add_causes(task.run.segment); }

void Checker::waited_for_cause(const Cause* cause) {
  if (cause == nullptr) return;
  ThreadState& thread = this_thread();
  Segment* const before = segment_of(cause);
  if (thread.run == nullptr) {
    thread.outside = checker::join(thread.outside, nullptr, {&before, 1});
    return;
  }
  settle(*thread.run);
  thread.run->segment = checker::join(thread.run->segment, thread.run->task, {&before, 1});
}

}  // namespace weir::checker
