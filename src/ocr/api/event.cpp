// SPDX-License-Identifier: Apache-2.0

// Events: create, destroy, satisfy.
#include "ocr/graph/event.hpp"
#include "ocr/api/api.hpp"
#include "ocr/graph/contribute.hpp"
#include "ocr/graph/slots.hpp"

using namespace weir::ocr;

namespace {

u8 create(ocrGuid_t* guid, ocrEventTypes_t type, u16 properties, const void* params) {
  if (guid == nullptr) return OCR_EINVAL;
  const bool labelled = (properties & GUID_PROP_IS_LABELED) != 0;
  const u8 code = in_program([&](Local& local) -> u8 {
    if (type < OCR_EVENT_ONCE_T || type > OCR_EVENT_COLLECTIVE_T) return OCR_EINVAL;
    Guid made = labelled ? from_c(*guid) : Guid{};
    const u8 refused = create_event(local, made, static_cast<EventType>(type), properties, params);
    if (refused == 0) *guid = to_c(made);
    return refused;
  });
  if (code != 0 && !labelled) *guid = NULL_GUID;
  return code;
}

}  // namespace

extern "C" {

u8 ocrEventCreate(ocrGuid_t* guid, ocrEventTypes_t eventType, u16 properties) {
  return create(guid, eventType, properties, nullptr);
}

u8 ocrEventCreateParams(ocrGuid_t* guid, ocrEventTypes_t eventType, u16 properties, ocrEventParams_t* params) {
  return create(guid, eventType, properties, params);
}

u8 ocrEventDestroy(ocrGuid_t guid) {
  return in_program([&](Local& local) { return destroy_event(local, from_c(guid)); });
}

u8 ocrEventSatisfySlot(ocrGuid_t eventGuid, ocrGuid_t dataGuid, u32 slot) {
  return in_program([&](Local& local) {
    const Guid target = from_c(eventGuid), data = from_c(dataGuid);
    return target.kind() == Kind::edt ? satisfy_slot(local, target, slot, data, DB_DEFAULT_MODE)
                                      : satisfy_event(local, target, slot, data);
  });
}

u8 ocrEventSatisfy(ocrGuid_t eventGuid, ocrGuid_t dataGuid) {
  if (from_c(eventGuid).is_null() && from_c(dataGuid).is_null()) return 0;
  return ocrEventSatisfySlot(eventGuid, dataGuid, 0);
}

u8 ocrEventCollectiveSatisfySlot(ocrGuid_t eventGuid, void* dataPtr, u32 islot) {
  return in_program([&](Local& local) { return contribute(local, from_c(eventGuid), dataPtr, islot); });
}

}  // extern "C"
