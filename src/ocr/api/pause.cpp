// SPDX-License-Identifier: Apache-2.0

// Pause, query, resume.
#include "ocr/extensions/ocr-pause.h"

#include <cstring>
#include <vector>

#include "ocr/api/api.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/program/pause_api.hpp"

using namespace weir::ocr;

namespace {

using Found = std::vector<ocrGuid_t>;

void find_edts(bool only_ready, Found& found) {
  for_each_edt([&](Edt& edt) {
    if (!only_ready || (edt.is_complete() && !edt.has_begun())) found.push_back(to_c(edt.guid()));
  });
}

void find_events(Found& found) {
  events().for_each([&](Event& event) {
    if (!event.word.alive() || !event.word.lock(event.word.generation())) return;
    if (!event.fired) found.push_back(to_c(event.word.guid(Kind::event)));
    event.word.unlock();
  });
}

void find_blocks_of(Guid guid, Found& found) {
  Edt* const edt = lock_edt(guid);
  if (edt == nullptr) return;
  for (const Slot& slot : edt->slots()) {
    const SlotState state = slot.state.load(std::memory_order_acquire);  // HELD-1
    if (state == SlotState::held) found.push_back(to_c(slot.block().guid()));
    if (state == SlotState::satisfied && slot.value != 0) found.push_back(to_c({slot.value}));
  }
  edt->body().word.unlock();
}

Found answer(ocrQueryType_t query, Guid guid) {
  Found found;
  switch (query) {
    case OCR_QUERY_READY_EDTS:
    case OCR_QUERY_ALL_EDTS: find_edts(query == OCR_QUERY_READY_EDTS, found); break;
    case OCR_QUERY_EVENTS: find_events(found); break;
    case OCR_QUERY_LAST_SATISFIED_DB: find_blocks_of(guid, found); break;
  }
  return found;
}

}  // namespace

extern "C" {

u32 ocrPause(bool isBlocking) {
  Local* const caller = local();
  if (caller != nullptr && is_spread()) {
    refuse_across_ranks(caller->program, "the program is paused");
    return 0;
  }
  return caller != nullptr && pause(*caller, isBlocking) ? 1 : 0;
}

ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void** result, u32* size, u8) {
  ocrGuid_t block = NULL_GUID;
  if (size != nullptr) *size = 0;
  if (result != nullptr) *result = nullptr;
  static_cast<void>(in_program([&](Local& local) -> u8 {
    if (!is_paused_by(local)) return OCR_EPERM;
    if (query < OCR_QUERY_READY_EDTS || query > OCR_QUERY_ALL_EDTS) return OCR_EINVAL;
    const Found found = answer(query, from_c(guid));
    void* data = nullptr;
    const u64 bytes = found.size() * sizeof(ocrGuid_t);
    if (const u8 code = ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, nullptr, NO_ALLOC)) return code;
    if (!found.empty()) std::memcpy(data, found.data(), bytes);
    if (result != nullptr) *result = data;
    if (size != nullptr) *size = static_cast<u32>(bytes);
    return 0;
  }));
  return block;
}

void ocrResume(u32 flag) {
  Local* const caller = local();
  if (caller != nullptr && flag != 0) resume(*caller);
}

void ocrInjectFault(void) {}

}  // extern "C"
