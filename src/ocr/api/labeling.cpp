// SPDX-License-Identifier: Apache-2.0

// Labels: ranges and maps of GUIDs.
#include "ocr/extensions/ocr-labeling.h"

#include <memory>

#include "ocr/api/api.hpp"
#include "ocr/graph/far_events.hpp"
#include "ocr/graph/far_maps.hpp"

using namespace weir::ocr;

namespace {

Kind kind_of(ocrGuidUserKind kind) noexcept {
  switch (kind) {
    case GUID_USER_DB: return Kind::block;
    case GUID_USER_EDT: return Kind::edt;
    case GUID_USER_EDT_TEMPLATE: return Kind::edt_template;
    case GUID_USER_EVENT_ONCE:
    case GUID_USER_EVENT_COUNTED:
    case GUID_USER_EVENT_IDEM:
    case GUID_USER_EVENT_STICKY:
    case GUID_USER_EVENT_LATCH:
    case GUID_USER_EVENT_CHANNEL:
    case GUID_USER_EVENT_COLLECTIVE: return Kind::event;
    default: return Kind::none;
  }
}

ocrGuidUserKind user_kind(EventType type) noexcept {
  switch (type) {
    case EventType::once: return GUID_USER_EVENT_ONCE;
    case EventType::idem: return GUID_USER_EVENT_IDEM;
    case EventType::latch: return GUID_USER_EVENT_LATCH;
    case EventType::counted: return GUID_USER_EVENT_COUNTED;
    case EventType::channel: return GUID_USER_EVENT_CHANNEL;
    case EventType::collective: return GUID_USER_EVENT_COLLECTIVE;
    default: return GUID_USER_EVENT_STICKY;
  }
}

ocrGuidUserKind user_kind(const Sight& sight) noexcept {
  switch (sight.kind) {
    case Kind::event: return user_kind(sight.type);
    case Kind::block: return GUID_USER_DB;
    case Kind::edt: return GUID_USER_EDT;
    case Kind::edt_template: return GUID_USER_EDT_TEMPLATE;
    default: return GUID_USER_NONE;
  }
}

}  // namespace

extern "C" {

u8 ocrGuidRangeCreate(ocrGuid_t* rangeGuid, u64 numberGuid, ocrGuidUserKind kind) {
  if (rangeGuid == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    Guid made;
    if (const u8 code = make_map({kind_of(kind), numberGuid, nullptr, {}}, made)) return code;
    *rangeGuid = to_c(made);
    return 0;
  });
}

u8 ocrGuidFromIndex(ocrGuid_t* outGuid, ocrGuid_t rangeGuid, u64 idx) {
  if (outGuid == nullptr || from_c(rangeGuid).is_null()) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    const std::shared_ptr<GuidMap> map = find_map_of_ranks(from_c(rangeGuid));
    if (map == nullptr || idx >= map->count) return OCR_EINVAL;
    *outGuid = to_c({map->first.bits + idx});
    return 0;
  });
}

u8 ocrGuidMapCreate(ocrGuid_t* mapGuid, u32 numParams, MapFunction mapFunc, s64* params, u64 numberGuid,
                    ocrGuidUserKind kind) {
  if (mapGuid == nullptr || mapFunc == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    if (numParams != 0 && params == nullptr) return OCR_EINVAL;
    Guid made;
    if (const u8 code = make_map({kind_of(kind), numberGuid, mapFunc, {params, numParams}}, made)) return code;
    *mapGuid = to_c(made);
    return 0;
  });
}

u8 ocrGuidMapSetDefaultMap(u32 numParams, MapFunction mapFunc, s64* params, u64 numberGuid, ocrGuidUserKind kind) {
  if (mapFunc == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    if (numParams != 0 && params == nullptr) return OCR_EINVAL;
    return set_default_map_of_ranks({kind_of(kind), numberGuid, mapFunc, {params, numParams}});
  });
}

u8 ocrGuidFromLabel(ocrGuid_t* outGuid, ocrGuid_t mapGuid, s64* tuple) {
  if (outGuid == nullptr || tuple == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    const std::shared_ptr<GuidMap> map = find_map_of_ranks(from_c(mapGuid));
    if (map == nullptr || map->function == nullptr) return OCR_EINVAL;
    *outGuid = map->function(to_c(map->first), 1, map->params.data(), tuple);
    return 0;
  });
}

u8 ocrGuidMapDestroy(ocrGuid_t mapGuid) {
  return in_program([&](Local&) { return destroy_map_of_ranks(from_c(mapGuid)); });
}
u8 ocrGuidRangeDestroy(ocrGuid_t rangeGuid) { return ocrGuidMapDestroy(rangeGuid); }

u8 ocrGetGuidKind(ocrGuidUserKind* outKind, ocrGuid_t guid) {
  if (outKind == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    *outKind = user_kind(see(from_c(guid)));
    return 0;
  });
}

ocrGuid_t addValueToGuid(ocrGuid_t input, u64 value) { return to_c({from_c(input).bits + value}); }

}  // extern "C"
