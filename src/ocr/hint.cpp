// SPDX-License-Identifier: Apache-2.0

#include "ocr/hint.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>

#include "ocr/local.hpp"
#include "ocr/system.hpp"
#include "sched/scheduler.hpp"

namespace weir::ocr {

namespace {

// The properties of a type are (start, end).
struct Range {
  int start, end;
};
Range properties_of(ocrHintType_t type) noexcept {
  switch (type) {
    case OCR_HINT_EDT_T: return {OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END};
    case OCR_HINT_DB_T: return {OCR_HINT_DB_PROP_START, OCR_HINT_DB_PROP_END};
    default: return {0, 0};
  }
}

}  // namespace

int hint_index(const ocrHint_t& hint, int property) noexcept {
  const Range range = properties_of(hint.type);
  return property > range.start && property < range.end ? property - range.start - 1 : -1;
}

std::uint64_t& hint_slot(ocrHint_t& hint, int index) noexcept {
  return hint.type == OCR_HINT_EDT_T ? hint.args.propEDT[index] : hint.args.propDB[index];
}

std::uint64_t hint_value(const ocrHint_t& hint, ocrHintProp_t property, std::uint64_t otherwise) noexcept {
  const int index = hint_index(hint, property);
  if (index < 0 || (hint.propMask >> index & 1) == 0) return otherwise;
  return hint_slot(const_cast<ocrHint_t&>(hint), index);
}

void merge_hint(ocrHint_t& into, const ocrHint_t& from) noexcept {
  const Range range = properties_of(from.type);
  for (int i = 0; i < range.end - range.start - 1; ++i) {
    if ((from.propMask >> i & 1) == 0) continue;
    into.propMask |= std::uint64_t{1} << i;
    hint_slot(into, i) = hint_slot(const_cast<ocrHint_t&>(from), i);
  }
}

int domain_of_hint(std::uint64_t value) noexcept {
  const Guid guid{value};
  return guid.kind() == Kind::affinity ? static_cast<int>(guid.index()) : -1;
}

ocrHint_t hint_of_affinity(const ocrHint_t* affinity, ocrHintType_t type) noexcept {
  ocrHint_t hint{type, 0, {}};
  const int index = hint_index(hint, type == OCR_HINT_EDT_T ? OCR_HINT_EDT_AFFINITY : OCR_HINT_DB_AFFINITY);
  if (index < 0) return hint;  // other types have none
  hint.propMask = std::uint64_t{1} << index;
  hint_slot(hint, index) = reinterpret_cast<std::uintptr_t>(affinity);
  return hint;
}

void apply_hint(Block& block, const ocrHint_t& hint) {
  if (hint.type != OCR_HINT_DB_T || hint.propMask == 0) return;
  if (block.hint == nullptr) block.hint = new ocrHint_t{OCR_HINT_DB_T, 0, {}};
  merge_hint(*block.hint, hint);
  block.eager = hint_value(*block.hint, OCR_HINT_DB_EAGER, 0) != 0;
  block.lazy = hint_value(*block.hint, OCR_HINT_DB_LAZY, 0) != 0 && !block.eager;
}

Place place_of_hint(const Local& local, const ocrHint_t& hint) noexcept {
  Place place{local.worker->domain(), {}};
  const int domain = domain_of_hint(hint_value(hint, OCR_HINT_DB_AFFINITY, 0));
  if (domain >= 0 && domain < local.worker->scheduler().domain_count()) {
    place.domain = domain;
    place.hint.near_domain = true;
  }
  using Tier = data::PlacementHint::Tier;
  const auto says = [&](ocrHintProp_t property) { return hint_value(hint, property, 0) != 0; };
  if (says(OCR_HINT_DB_FAR)) place.hint.tier = Tier::slow;
  if (says(OCR_HINT_DB_INTER)) place.hint.tier = Tier::middle;
  if (says(OCR_HINT_DB_NEAR) || says(OCR_HINT_DB_HIGHBW)) place.hint.tier = Tier::fast;
  return place;
}

void apply_hint(Edt& edt, const ocrHint_t& hint) {
  if (hint.type != OCR_HINT_EDT_T || hint.propMask == 0) return;
  keep_hint(edt, hint);
  place_by_hint(edt, hint);
}

void keep_hint(Edt& edt, const ocrHint_t& hint) {
  if (hint.propMask != 0) merge_hint(hint_of(edt), hint);
}

ocrHint_t& hint_of(Edt& edt) {
  std::atomic<ocrHint_t*>& place = edt.body().hint;
  ocrHint_t* hint = place.load();
  if (hint != nullptr) return *hint;
  auto made = std::make_unique<ocrHint_t>(ocrHint_t{OCR_HINT_EDT_T, 0, {}});
  return place.compare_exchange_strong(hint, made.get()) ? *made.release() : *hint;
}

ocrHint_t TemplateHint::read() const noexcept {
  for (;; std::this_thread::yield()) {
    ocrHint_t hint{OCR_HINT_EDT_T, 0, {}};
    const std::uint64_t version = version_.load(std::memory_order_acquire);  // HINT-1
    hint.propMask = mask_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kValues; ++i) hint.args.propEDT[i] = values_[i].load(std::memory_order_acquire);
    if (version % 2 == 0 && version_.load(std::memory_order_acquire) == version) return hint;
  }
}

void TemplateHint::merge(const ocrHint_t& hint) noexcept {
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  ocrHint_t all = read();
  merge_hint(all, hint);
  version_.store(version + 1, std::memory_order_release);  // HINT-1
  mask_.store(all.propMask, std::memory_order_release);
  for (std::size_t i = 0; i < kValues; ++i) values_[i].store(all.args.propEDT[i], std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

// ---- Of bare EDTs ----

namespace {

struct LateHints {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, ocrHint_t> hints;  // guarded by mutex; by GUID, some of EDTs that have ended
  std::size_t most = 64;                               // guarded by mutex; before those are dropped
};
LateHints& late_hints() {
  static auto& all = *new LateHints;  // threads may end after static destruction
  return all;
}

}  // namespace

void keep_late_hint(Guid edt, const ocrHint_t& hint) {
  LateHints& late = late_hints();
  const std::lock_guard lock(late.mutex);
  if (late.hints.size() >= late.most) {
    std::erase_if(late.hints, [](const auto& each) { return find_edt(Guid{each.first}) == nullptr; });
    late.most = std::max<std::size_t>(64, 2 * late.hints.size());
  }
  merge_hint(late.hints.try_emplace(edt.bits, ocrHint_t{OCR_HINT_EDT_T, 0, {}}).first->second, hint);
}

ocrHint_t late_hint(Guid edt) {
  LateHints& late = late_hints();
  const std::lock_guard lock(late.mutex);
  const auto found = late.hints.find(edt.bits);
  return found == late.hints.end() ? ocrHint_t{OCR_HINT_EDT_T, 0, {}} : found->second;
}

void forget_late_hints() noexcept {
  LateHints& late = late_hints();
  const std::lock_guard lock(late.mutex);
  late.hints.clear();
}

// Nothing that the scheduler need be told of on a machine of one domain without priorities.
void place_by_hint(Edt& edt, const ocrHint_t& hint) noexcept {
  sched::Task& task = edt.task();
  const int domains = System::running()->scheduler().domain_count();
  const int domain = domain_of_hint(hint_value(hint, OCR_HINT_EDT_AFFINITY, 0));
  const bool urgent = hint_value(hint, OCR_HINT_EDT_PRIORITY, 0) != 0;
  const bool placed = domain >= 0 && domain < domains && domains > 1;
  if (!placed && !urgent) return;
  sched::TaskExtra* extra = task.note.extra();
  if (extra == nullptr) {
    extra = new (std::nothrow) sched::TaskExtra;
    if (extra == nullptr) return;  // it is only a hint
    task.note = sched::TaskNote(extra);
  }
  if (placed) extra->domain = domain;
  if (urgent) extra->priority = Priority::urgent;
}

}  // namespace weir::ocr
