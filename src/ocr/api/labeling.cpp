// SPDX-License-Identifier: Apache-2.0

// Labels: ranges and maps of GUIDs.
#include "ocr/extensions/ocr-labeling.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ocr/api/api.hpp"
#include "ocr/objects/guid_map.hpp"
#include "ocr/objects/label.hpp"

using namespace weir::ocr;

namespace {

struct Map {
  Guid first;
  u64 count = 0;
  MapFunction function = nullptr;  // null: a range
  std::vector<s64> params;
};

// Maps by index, and the default one. Never used again after they are destroyed.
struct Maps {
  std::mutex mutex;
  std::vector<std::shared_ptr<Map>> all;  // guarded by mutex; null: destroyed
  std::shared_ptr<Map> usual;             // guarded by mutex
};
Maps& maps() noexcept {
  static Maps& the_maps = *new Maps;
  return the_maps;
}

Guid enter(std::shared_ptr<Map> map) {
  Maps& m = maps();
  const std::lock_guard lock(m.mutex);
  m.all.push_back(std::move(map));
  return Guid::make(Kind::map, 0, static_cast<std::uint32_t>(m.all.size() - 1));
}

std::shared_ptr<Map> find_map(Guid guid) noexcept {
  if (guid.kind() != Kind::map) return nullptr;
  Maps& m = maps();
  const std::lock_guard lock(m.mutex);
  return guid.index() < m.all.size() && guid == Guid::make(Kind::map, 0, guid.index()) ? m.all[guid.index()] : nullptr;
}

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

std::uint32_t reserve(Kind kind, u64 count) {
  switch (kind) {
    case Kind::block: return blocks().reserve(count);
    case Kind::edt: return edt_entries().reserve(count);
    case Kind::edt_template: return templates().reserve(count);
    default: return events().reserve(count);
  }
}

// 0 or a code.
u8 make_map(std::shared_ptr<Map>& map, u64 count, ocrGuidUserKind user_kind, MapFunction function, u32 num_params,
            const s64* params) {
  const Kind kind = kind_of(user_kind);
  if (kind == Kind::none || count == 0 || (num_params != 0 && params == nullptr)) return OCR_EINVAL;
  map = std::make_shared<Map>();
  map->first = Guid::make_label(kind, reserve(kind, count));
  map->count = count;
  map->function = function;
  map->params.assign(params, params + num_params);
  enter_range(map->first, count);
  return 0;
}

u8 destroy_map(Guid guid) {
  if (find_map(guid) == nullptr) return OCR_EINVAL;
  Maps& m = maps();
  std::shared_ptr<Map> map;
  {
    const std::lock_guard lock(m.mutex);
    map = std::exchange(m.all[guid.index()], nullptr);
  }
  if (map == nullptr) return OCR_EINVAL;
  leave_range(map->first);
  return 0;
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

ocrGuidUserKind user_kind(Guid guid) noexcept {
  if (Event* event = lock_object(events(), Kind::event, guid)) {
    const EventType type = event->type;
    event->word.unlock();
    return user_kind(type);
  }
  if (find_object(blocks(), Kind::block, guid) != nullptr) return GUID_USER_DB;
  if (find_edt(guid) != nullptr) return GUID_USER_EDT;
  if (find_object(templates(), Kind::edt_template, guid) != nullptr) return GUID_USER_EDT_TEMPLATE;
  return GUID_USER_NONE;
}

}  // namespace

void weir::ocr::forget_maps() noexcept {
  Maps& m = maps();
  const std::lock_guard lock(m.mutex);
  for (std::shared_ptr<Map>& map : m.all)
    if (map != nullptr) leave_range(std::exchange(map, nullptr)->first);
  if (m.usual != nullptr) leave_range(std::exchange(m.usual, nullptr)->first);
}

extern "C" {

u8 ocrGuidRangeCreate(ocrGuid_t* rangeGuid, u64 numberGuid, ocrGuidUserKind kind) {
  if (rangeGuid == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    std::shared_ptr<Map> map;
    if (const u8 code = make_map(map, numberGuid, kind, nullptr, 0, nullptr)) return code;
    *rangeGuid = to_c(enter(std::move(map)));
    return 0;
  });
}

u8 ocrGuidFromIndex(ocrGuid_t* outGuid, ocrGuid_t rangeGuid, u64 idx) {
  if (outGuid == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    const std::shared_ptr<Map> map = find_map(from_c(rangeGuid));
    if (map == nullptr || idx >= map->count) return OCR_EINVAL;
    *outGuid = to_c({map->first.bits + idx});
    return 0;
  });
}

u8 ocrGuidMapCreate(ocrGuid_t* mapGuid, u32 numParams, MapFunction mapFunc, s64* params, u64 numberGuid,
                    ocrGuidUserKind kind) {
  if (mapGuid == nullptr || mapFunc == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    std::shared_ptr<Map> map;
    if (const u8 code = make_map(map, numberGuid, kind, mapFunc, numParams, params)) return code;
    *mapGuid = to_c(enter(std::move(map)));
    return 0;
  });
}

u8 ocrGuidMapSetDefaultMap(u32 numParams, MapFunction mapFunc, s64* params, u64 numberGuid, ocrGuidUserKind kind) {
  if (mapFunc == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    Maps& m = maps();
    const std::lock_guard lock(m.mutex);
    if (m.usual != nullptr) return OCR_EPERM;
    std::shared_ptr<Map> made;
    if (const u8 code = make_map(made, numberGuid, kind, mapFunc, numParams, params)) return code;
    m.usual = std::move(made);
    return 0;
  });
}

u8 ocrGuidFromLabel(ocrGuid_t* outGuid, ocrGuid_t mapGuid, s64* tuple) {
  if (outGuid == nullptr || tuple == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    std::shared_ptr<Map> map = find_map(from_c(mapGuid));
    if (from_c(mapGuid).is_null()) {
      const std::lock_guard lock(maps().mutex);
      map = maps().usual;
    }
    if (map == nullptr || map->function == nullptr) return OCR_EINVAL;
    *outGuid = map->function(to_c(map->first), 1, map->params.data(), tuple);
    return 0;
  });
}

u8 ocrGuidMapDestroy(ocrGuid_t mapGuid) {
  return in_program([&](Local&) { return destroy_map(from_c(mapGuid)); });
}
u8 ocrGuidRangeDestroy(ocrGuid_t rangeGuid) { return ocrGuidMapDestroy(rangeGuid); }

u8 ocrGetGuidKind(ocrGuidUserKind* outKind, ocrGuid_t guid) {
  if (outKind == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    *outKind = user_kind(from_c(guid));
    return 0;
  });
}

ocrGuid_t addValueToGuid(ocrGuid_t input, u64 value) { return to_c({from_c(input).bits + value}); }

}  // extern "C"
