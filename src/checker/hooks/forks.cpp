// SPDX-License-Identifier: Apache-2.0

// Hooks of fork_join(): both parts run in the task that forks, as parts of it without an order between them.
#include <algorithm>

#include "checker/hooks/tables.hpp"
#include "checker/hooks/turn.hpp"

namespace weir::checker {

namespace {

// What the thread does from now on is a part of the fork.
void begin_part(Run& run, const Fork& fork) {
  Segment* const part = state->order.make(run.task);
  part->fork = fork.around != nullptr ? fork.around : fork.before;
  Order::add_edge(fork.before, part);
  run.segment = part;
}

// Outside of tasks a fork is looked at like a task that declares nothing, and that the program waits for at once.
TaskRecord* announce_program(const void* scope) {
  const Pause pause;
  auto* const record = new TaskRecord(info_of("fork_join() outside of tasks", nullptr, 0, false));
  record->scope = scope;
  Run& run = record->run;
  run.restricted = false;
  run.is_program = true;
  run.segment = state->order.make(run.task);
  run.end = state->order.make(run.task);
  if (Segment* const before = scope != nullptr ? scope_of(scope).segment : nullptr)
    Order::add_edge(before, run.segment);
  ++tables->unfinished;
  return record;
}

// The program's tasks from now on come after it.
void end_program(TaskRecord* record, const void* scope) {
  Segment* const last = record->run.segment;
  const bool judged_any = record->run.accesses != 0;
  const std::uint64_t parts = record->run.parts;
  the_checker.end(record, true);
  const Pause pause;
  --state->tasks;
  if (!judged_any) state->parts_free += parts;
  if (scope == nullptr) return;
  Scope& data = scope_of(scope);
  data.segment = join(data.segment, nullptr, {&last, 1});
}

// Those of threads that wait are among them.
std::vector<Fork>::iterator find_fork(const void* half) {
  const auto is_it = [&](const Fork& fork) { return fork.half == half; };
  return std::find_if(tables->forks.rbegin(), tables->forks.rend(), is_it).base() - 1;
}

}  // namespace

bool Checker::follows_forks() {
  constexpr std::uint64_t kMostParts = 4000;
  if (state->all_exact || state->parts < kMostParts) return true;
  if (Run* const run = this_thread().run) run->in_part = true;
  return false;
}

void Checker::fork(const void* half, const void* scope) {
  if (this_thread().run == nullptr) {
    begin(*announce_program(scope), nullptr);
    this_thread().run->runner = 0;  // the frames beneath are the program's, too
  }
  const Pause pause;
  Run& run = *this_thread().run;
  settle(run);
  run.segment->shared = true;
  Fork& made = tables->forks.emplace_back();
  made = {half, run.segment, nullptr, run.segment->fork};
  ++run.forks;
  const std::uint64_t parts = run.forks == 1 ? 2 : 1;
  run.parts += parts;
  state->parts += parts;
  begin_part(run, made);
}

void Checker::second_part(const void* half) {
  const Pause pause;
  Run& run = *this_thread().run;
  Fork& made = *find_fork(half);
  settle(run);
  made.first = run.segment;
  made.first->shared = true;
  begin_part(run, made);
}

void Checker::join(const void* half, const void* scope) {
  Run& run = *this_thread().run;
  {
    const Pause pause;
    const auto found = find_fork(half);
    const Fork made = *found;
    tables->forks.erase(found);
    settle(run);
    Segment* const ends[] = {run.segment, made.first != nullptr ? made.first : made.before};
    run.segment = checker::join(nullptr, run.task, ends);
    run.segment->fork = made.around;
    --run.forks;
  }
  if (run.forks == 0 && run.is_program) end_program(run.record, scope);
}

}  // namespace weir::checker
