// SPDX-License-Identifier: Apache-2.0

// Ranges and maps of labels: reserved GUIDs, and the function that computes one from a tuple. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ocr/objects/guid.hpp"

namespace weir::ocr {

using MapFunction = ocrGuid_t (*)(ocrGuid_t start, u64 skip, s64* params, s64* tuple);

struct GuidMap {
  Guid first;
  std::uint64_t count = 0;
  MapFunction function = nullptr;  // null: a range
  std::vector<s64> params;
};

struct MapRequest {
  Kind kind;  // of the objects; none: there is no such
  std::uint64_t count;
  MapFunction function;  // null: a range
  std::span<const s64> params;
};
// Both reserve labels. 0 or an error code; OCR_EPERM when there is a default map. Throw std::bad_alloc.
u8 make_map(const MapRequest& request, Guid& made);
u8 set_default_map(const MapRequest& request);
// Null when there is none, or no more. The default map has the null GUID.
std::shared_ptr<GuidMap> find_map(Guid guid) noexcept;
// 0 or OCR_EINVAL.
u8 destroy_map(Guid guid) noexcept;
// All that there are, by the index in the GUID, and the default one (null: none): for a checkpoint; and to be there
// again. Their labels are not reserved by it (ObjectTable::give_from()).
struct AllMaps {
  std::vector<std::pair<std::uint32_t, std::shared_ptr<GuidMap>>> by_index{};
  std::shared_ptr<GuidMap> usual{};
};
AllMaps all_maps();
void restore_maps(AllMaps restored);
// From here on GUIDs of maps have these indices. Before any map is made.
void give_maps_from(std::uint64_t first, std::uint64_t end) noexcept;
// The first that has not been given.
std::uint64_t next_map() noexcept;
// The program is over: none of its ranges and maps is one any more.
void forget_maps() noexcept;

}  // namespace weir::ocr
