// SPDX-License-Identifier: Apache-2.0

// What is told at the end: items that nobody has touched, how often each finding was made, and how much was judged.
#include <utility>

#include "checker/faults/closing_gate.hpp"
#include "checker/hooks/tables.hpp"
#include "checker/tell/telling.hpp"

namespace weir::checker {

void count_items(const Run& run) {
  const auto is_left_out = [](const Item& item) {
    const ClosingGate gate(this_thread());
    return state->watch.is_left_out(item.extent);
  };
  for (const Item& item : run.items) {
    if (item.extent.empty() || (!item.reads && !item.writes) || is_left_out(item)) continue;
    Untouched& seen = tables->items[run.task->site->number << 16 | item.index];
    if (seen.task == nullptr) {
      seen.task = run.task;
      seen.item = item;
    }
    ++seen.declared;
    seen.touched += item.touched ? 1 : 0;
  }
}

void tell_untouched() {
  for (auto& [key, seen] : tables->items) {
    if (seen.touched != 0) continue;
    Finding finding = make_finding(FindingKind::untouched, seen.task, seen.item.extent.base, seen.item.extent.bytes());
    finding.mode = seen.item.ocr_mode != 0 ? seen.item.ocr_mode : static_cast<std::uint32_t>(seen.item.mode);
    finding.item = seen.item.index;
    finding.times = seen.declared;
    tell(finding, {FindingKind::untouched, seen.item.index, seen.task->site, nullptr});
  }
  tables->items.clear();
}

// What has been counted since the last time.
void tell_counts() {
  for (auto& [key, told] : state->told) {
    Repeated repeated;
    repeated.number = told.number;
    repeated.times = told.times - 1;
    told.times = 1;
    if (repeated.times != 0) state->link.tell(repeated);
  }
  Bye bye;
  bye.tasks = std::exchange(state->tasks, 0);
  bye.accesses = std::exchange(state->accesses, 0);
  bye.unseen = std::exchange(state->unseen, 0);
  bye.in_part = std::exchange(state->tasks_in_part, 0);
  bye.parts = std::exchange(state->parts, 0);
  bye.parts_free = std::exchange(state->parts_free, 0);
  state->link.tell(bye);
}

}  // namespace weir::checker
