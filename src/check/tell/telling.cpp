#include "check/tell/telling.hpp"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "check/hooks/tables.hpp"

namespace weir::check {

namespace {

void fill(WireRegion& to, const WatchedRegion& from) noexcept {
  to.kind = from.kind;
  to.base = from.extent.base;
  to.run_bytes = from.extent.run_bytes;
  for (int i = 0; i < 2; ++i) {
    to.counts[i] = from.extent.counts[i];
    to.strides[i] = from.extent.strides[i];
  }
  std::memcpy(to.name, from.name, sizeof to.name);
}

}  // namespace

void fill(WireTask& to, const TaskInfo* from) noexcept {
  if (from == nullptr) return;
  std::memcpy(to.name, from->name, sizeof to.name);
  to.function = from->function;
  if (from->site != nullptr) to.spawned = from->site->frames;
}

Finding make_finding(FindingKind kind, const TaskInfo* task, std::uintptr_t address, std::size_t bytes) {
  Finding finding;
  finding.kind = kind;
  finding.address = address;
  finding.bytes = bytes;
  fill(finding.task, task);
  finding.ocr = task != nullptr && task->ocr ? 1 : 0;
  if (const WatchedRegion* const region = state->watch.region_at(address)) {
    fill(finding.region, *region);
    fill(finding.declarer, region->declarer);
  }
  return finding;
}

void tell(Finding& finding, const FindingKey& key) noexcept {
  const auto [found, is_new] = state->told.try_emplace(key);
  ++found->second.times;
  if (!is_new) return;
  found->second.number = finding.number = state->told.size();
  if (state->link.tell(finding) == Answer::stop) _exit(1);
}

void count_items(const Run& run) {
  for (const Item& item : run.items) {
    if (item.extent.empty() || (!item.reads && !item.writes) || state->watch.is_left_out(item.extent)) continue;
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
  state->link.tell(bye);
}

}  // namespace weir::check
