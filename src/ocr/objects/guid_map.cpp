// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/guid_map.hpp"

#include <new>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

// Maps by index, and the default one. An index is never used again after its map was destroyed.
struct Maps {
  base::Mutex mutex;
  std::unordered_map<std::uint32_t, std::shared_ptr<GuidMap>> all WEIR_GUARDED_BY(mutex);
  std::uint64_t next WEIR_GUARDED_BY(mutex) = 1;
  std::uint64_t end WEIR_GUARDED_BY(mutex) = std::uint64_t{1} << 32;  // of the indices that may be given
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

Guid guid_of(std::uint32_t index) noexcept { return Guid::make(Kind::map, 0, index); }

}  // namespace

u8 make_map(const MapRequest& request, Guid& made) {
  if (!is_possible(request)) return OCR_EINVAL;
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  if (m.next == m.end) throw std::bad_alloc();
  const auto index = static_cast<std::uint32_t>(m.next);
  m.all.emplace(index, reserve_map(request));
  ++m.next;
  made = guid_of(index);
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
  const auto found = guid == guid_of(guid.index()) ? m.all.find(guid.index()) : m.all.end();
  return found == m.all.end() ? nullptr : found->second;
}

u8 destroy_map(Guid guid) noexcept {
  if (guid != guid_of(guid.index())) return OCR_EINVAL;
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  const auto ended = m.all.extract(guid.index());
  if (ended.empty()) return OCR_EINVAL;
  leave_range(ended.mapped()->first);
  return 0;
}

AllMaps all_maps() {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  return {{m.all.begin(), m.all.end()}, m.usual};
}

void restore_maps(AllMaps restored) {
  for (const auto& [index, map] : restored.by_index) enter_range(map->first, map->count);
  if (restored.usual != nullptr) enter_range(restored.usual->first, restored.usual->count);
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  m.all.insert(restored.by_index.begin(), restored.by_index.end());
  if (restored.usual != nullptr) m.usual = std::move(restored.usual);
}

void give_maps_from(std::uint64_t first, std::uint64_t end) noexcept {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  m.next = first;
  m.end = end;
}

std::uint64_t next_map() noexcept {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  return m.next;
}

void forget_maps() noexcept {
  Maps& m = maps();
  const base::Lock lock(m.mutex);
  for (const auto& [index, map] : m.all) leave_range(map->first);
  m.all.clear();
  if (m.usual != nullptr) leave_range(std::exchange(m.usual, nullptr)->first);
}

}  // namespace weir::ocr
