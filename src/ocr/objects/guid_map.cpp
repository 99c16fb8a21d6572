// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/guid_map.hpp"

#include <algorithm>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

// Maps by index, and the default one. An index is never used again after its map was destroyed.
struct Maps {
  base::Mutex mutex;
  std::vector<std::shared_ptr<GuidMap>> all WEIR_GUARDED_BY(mutex);  // null: destroyed
  std::shared_ptr<GuidMap> usual WEIR_GUARDED_BY(mutex);
};
Maps& maps() noexcept {
  static base::Forever<Maps> the_maps;
  return the_maps.value;
}

std::uint32_t reserve(Kind kind, std::uint64_t count) {
  switch (kind) {
    case Kind::block: return blocks().reserve(count);
    case Kind::edt: return edt_entries().reserve(count);
    case Kind::edt_template: return templates().reserve(count);
    default: return events().reserve(count);
  }
}

std::shared_ptr<GuidMap> reserve_map(const MapRequest& request) {
  auto map = std::make_shared<GuidMap>();
  map->first = Guid::make_label(request.kind, reserve(request.kind, request.count));
  map->count = request.count;
  map->function = request.function;
  map->params.assign(request.params.begin(), request.params.end());
  enter_range(map->first, request.count);
  return map;
}

bool is_possible(const MapRequest& request) noexcept { return request.kind != Kind::none && request.count != 0; }

// That of the map with this number among those of this rank.
Guid guid_of(std::uint64_t number) noexcept {
  return Guid::make(Kind::map, 0, static_cast<std::uint32_t>(homes().first() + number));
}

// Its slot in `all`; null when the GUID is none of a map.
std::shared_ptr<GuidMap>* slot_of(Maps& m, Guid guid) noexcept WEIR_REQUIRES(m.mutex) {
  const std::uint64_t number = guid.index() - homes().first();
  const bool known = guid.kind() == Kind::map && number < m.all.size();
  return known && guid == guid_of(number) ? &m.all[number] : nullptr;
}

}  // namespace

u8 make_map(const MapRequest& request, Guid& made) {
  if (!is_possible(request)) return OCR_EINVAL;
  std::shared_ptr<GuidMap> map = reserve_map(request);
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  m.all.push_back(std::move(map));
  made = guid_of(m.all.size() - 1);
  return 0;
}

u8 set_default_map(const MapRequest& request) {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  if (m.usual != nullptr) return OCR_EPERM;
  if (!is_possible(request)) return OCR_EINVAL;
  m.usual = reserve_map(request);
  return 0;
}

std::shared_ptr<GuidMap> find_map(Guid guid) noexcept {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  if (guid.is_null()) return m.usual;
  const std::shared_ptr<GuidMap>* const slot = slot_of(m, guid);
  return slot == nullptr ? nullptr : *slot;
}

u8 destroy_map(Guid guid) noexcept {
  std::shared_ptr<GuidMap> map;
  {
    Maps& m = maps();
    const base::Lock lock(m.mutex);
    if (std::shared_ptr<GuidMap>* const slot = slot_of(m, guid)) map = std::exchange(*slot, nullptr);
  }
  if (map == nullptr) return OCR_EINVAL;
  leave_range(map->first);
  return 0;
}

AllMaps all_maps() {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  return {m.all, m.usual};
}

void restore_maps(AllMaps restored) {
  const auto enter = [](const std::shared_ptr<GuidMap>& map) {
    if (map != nullptr) enter_range(map->first, map->count);
  };
  std::for_each(restored.by_number.begin(), restored.by_number.end(), enter);
  enter(restored.usual);
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  m.all = std::move(restored.by_number);
  m.usual = std::move(restored.usual);
}

void forget_maps() noexcept {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  for (std::shared_ptr<GuidMap>& map : m.all)
    if (map != nullptr) leave_range(std::exchange(map, nullptr)->first);
  if (m.usual != nullptr) leave_range(std::exchange(m.usual, nullptr)->first);
}

}  // namespace weir::ocr
