// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/edt_hint.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <unordered_map>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/program/program.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

void apply_hint(const ProgramLocal& local, Edt& edt, const ocrHint_t& hint) {
  if (hint.type != OCR_HINT_EDT_T || hint.propMask == 0) return;
  keep_hint(edt, hint);
  place_by_hint(local, edt, hint);
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

namespace {

struct LateHints {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, ocrHint_t> hints WEIR_GUARDED_BY(mutex);  // by GUID, some of EDTs that have ended
  std::size_t most WEIR_GUARDED_BY(mutex) = 64;                               // before those are dropped
};
LateHints& late_hints() {
  static base::Forever<LateHints> all;
  return all.value;
}

}  // namespace

void keep_late_hint(Guid edt, const ocrHint_t& hint) {
  LateHints& late = late_hints();
  const base::Lock lock(late.mutex);
  if (late.hints.size() >= late.most) {
    std::erase_if(late.hints, [](const auto& each) { return find_edt(Guid{each.first}) == nullptr; });
    late.most = std::max<std::size_t>(64, 2 * late.hints.size());
  }
  merge_hint(late.hints.try_emplace(edt.bits, ocrHint_t{OCR_HINT_EDT_T, 0, {}}).first->second, hint);
}

ocrHint_t late_hint(Guid edt) {
  LateHints& late = late_hints();
  const base::Lock lock(late.mutex);
  const auto found = late.hints.find(edt.bits);
  return found == late.hints.end() ? ocrHint_t{OCR_HINT_EDT_T, 0, {}} : found->second;
}

void forget_late_hints() noexcept {
  LateHints& late = late_hints();
  const base::Lock lock(late.mutex);
  late.hints.clear();
}

// On a machine of one domain there is nothing to place, unless there is a priority.
void place_by_hint(const ProgramLocal& local, Edt& edt, const ocrHint_t& hint) noexcept {
  sched::Task& task = edt.task();
  const int domains = local.worker->scheduler().domain_count();
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
