// SPDX-License-Identifier: Apache-2.0

#include "checker/tell/telling.hpp"

#include <unistd.h>

#include <cstring>

#include "checker/state.hpp"

namespace weir::checker {

namespace {

void fill(WireRegion& to, const WatchedRegion& from) noexcept {
  to.kind = from.kind;
  to.base = from.extent.base;
  to.run_bytes = from.extent.run_bytes;
  for (int i = 0; i < 2; ++i) {
    to.counts[i] = from.extent.counts[i];
    to.strides[i] = from.extent.strides[i];
  }
  to.before = from.before;
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

}  // namespace weir::checker
