// SPDX-License-Identifier: Apache-2.0

#include "checker/hooks/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checker/faults/closing_gate.hpp"
#include "checker/tell/frames.hpp"
#include "checker/tell/telling.hpp"

namespace weir::checker {

Tables* tables = nullptr;

namespace {

const TaskInfo* info_at(std::unique_ptr<Site>& site, const Frames& frames, const char* name, std::uintptr_t function,
                        bool ocr) {
  if (site == nullptr) {
    site = std::make_unique<Site>();
    site->frames = frames;
    site->number = tables->sites.size() + tables->asked_sites.size();
  }
  auto& info = tables->infos[fmt::format("{} {} {}", site->number, function, name != nullptr ? name : "")];
  if (info == nullptr) {
    info = std::make_unique<TaskInfo>();
    info->site = site.get();
    info->function = function;
    info->ocr = ocr;
    if (name != nullptr) std::strncpy(info->name, name, sizeof info->name - 1);
  }
  return info.get();
}

}  // namespace

const TaskInfo* info_of(const char* name, const void* where, std::uintptr_t function, bool ocr) {
  Frames frames;
  if (where != nullptr)
    frames = {1, 0, {reinterpret_cast<std::uintptr_t>(where)}};
  else
    take_frames(frames, 0, this_thread().run);
  return info_at(tables->sites[frames], frames, name, function, ocr);
}

const TaskInfo* info_of_asked(const char* name, std::uintptr_t function) {
  return info_at(tables->asked_sites[function], {}, name, function, true);
}

Scope& scope_of(const void* scope) {
  auto& found = tables->scopes[scope];
  if (found == nullptr) found = std::make_unique<Scope>();
  return *found;
}

void settle(Run& run) {
  if (run.has_beside) {
    const ClosingGate gate(this_thread());
    take_beside(run, &state->pool);
  }
  bool any = false;
  for (const auto& [address, page] : run.pages) any = any || !page.touches.list.empty();
  if (!any) return;
  if (run.segment->shared) {
    Segment* const next = state->order.make(run.task);
    Order::add_edge(run.segment, next);
    next->fork = run.segment->fork;
    run.segment = next;
  }
  const auto suspect = [&](const Segment* earlier) {
    run.in_part = true;
    run.task->site->grant();
    if (earlier->task != nullptr) earlier->task->site->grant();
  };
  for (auto& [address, page] : run.pages) {
    const auto tell_conflict = [&](const Conflict& conflict) {
      const ClosingGate gate(this_thread());
      const TaskInfo* const other = conflict.earlier->task;
      Finding finding = make_finding(FindingKind::unordered, run.task, conflict.address, conflict.bytes);
      finding.writes = conflict.later_touch.writes ? 1 : 0;
      finding.at = *conflict.later_touch.at;
      finding.other_writes = conflict.earlier_touch.writes ? 1 : 0;
      finding.other_at = *conflict.earlier_touch.at;
      fill(finding.other, other);
      finding.by_turns = state->order.comes_before(conflict.earlier, run.segment, true) ? 1 : 0;
      finding.forked = conflict.earlier->fork != nullptr && conflict.earlier->fork == run.segment->fork ? 1 : 0;
      Site* const site = other != nullptr ? other->site : nullptr;
      tell(finding, {FindingKind::unordered, 0, std::min(run.task->site, site), std::max(run.task->site, site)});
    };
    state->shadow.record(run.segment, address, page.touches.list, tell_conflict, suspect);
    page.touches.clear();
    page.left_to_itself = false;
  }
  state->order.over(run.segment);
}

Segment* join(Segment* current, const TaskInfo* task, std::span<Segment* const> before) {
  Segment* const next = state->order.make(task);
  if (current != nullptr) {
    next->fork = current->fork;
    Order::add_edge(current, next);
  }
  for (Segment* const segment : before) Order::add_edge(segment, next);
  return next;
}

namespace {

RegionId start_watching(const WatchedRegion& region) {
  const ClosingGate gate(this_thread());
  state->watch.learn_mappings(region.extent);
  return state->watch.add(region);
}

void stop_watching(RegionId id) {
  const ClosingGate gate(this_thread());
  state->watch.remove(id);
}

}  // namespace

void forget_regions(Scope& scope) {
  for (const auto& [id, uses] : scope.regions) stop_watching(id);
  scope.regions.clear();
}

void forget_unused_regions(Scope& scope) {
  std::erase_if(scope.regions, [](const auto& entry) {
    if (entry.second != 0) return false;
    stop_watching(entry.first);
    return true;
  });
}

RegionId watch_region(Scope& scope, const WatchedRegion& region) {
  const RegionId id = start_watching(region);
  if (!scope.regions.try_emplace(id, 0).second) stop_watching(id);
  return id;
}

void take_turns(Run& run) {
  std::vector<Segment*> before;
  for (const Item& item : run.items) {
    if (item.sharing < Sharing::writer) continue;  // EW excludes no reading that sees what is written meanwhile
    const auto found = tables->turns.find(reinterpret_cast<const void*>(item.extent.base));
    if (found != tables->turns.end()) before.push_back(found->second);
  }
  if (!before.empty()) run.segment->turn = before.size() == 1 ? before.front() : join(nullptr, nullptr, before);
}

void give_up_turn(Run& run, const Item& item) {
  if (item.sharing != Sharing::exclusive || item.released) return;
  run.segment->shared = true;
  tables->turns[reinterpret_cast<const void*>(item.extent.base)] = run.segment;
}

void forget_order() {
  for (const auto& [scope, data] : tables->scopes) data->segment = nullptr;
  state->shadow.clear();
  state->order.clear();
  tables->ends.clear();
  tables->events.clear();
  tables->turns.clear();
  this_thread().outside = nullptr;
}

void forget_order_if_still() {
  if (tables->unfinished != 0) return;
  for (const auto& [scope, data] : tables->scopes)
    if (!data->ends.empty()) return;
  forget_order();
}

}  // namespace weir::checker
