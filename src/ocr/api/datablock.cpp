// SPDX-License-Identifier: Apache-2.0

// Data blocks: create, destroy, release, size.
#include "ocr/api/api.hpp"
#include "ocr/blocks/block.hpp"
#include "ocr/blocks/far_block.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/extensions/ocr-db-info.h"
#include "ocr/graph/far_events.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/home.hpp"

using namespace weir::ocr;
using weir::Rank;

namespace {

u8 create(Local& local, ocrGuid_t* db, void** addr, u64 len, u16 flags, ocrHint_t* hint, bool heap) {
  Guid guid = (flags & GUID_PROP_IS_LABELED) != 0 ? from_c(*db) : Guid{};
  std::byte* data = nullptr;
  const BlockRequest request{len, flags, hint, heap};
  std::optional<Rank> home;
  if (is_spread()) [[unlikely]]
    home = far_home(local, guid, request);
  const u8 code = home ? create_far_block(local, *home, guid, request, data) : create_block(local, guid, request, data);
  if (code == 0 || (flags & GUID_PROP_IS_LABELED) == 0) *db = to_c(guid);
  if (addr != nullptr) *addr = code == 0 ? data : nullptr;
  return code;
}

u8 release_db(Local& local, Guid db) {
  if (local.current != nullptr) {
    const Holding held = find_held(*local.current, db);
    if (held.block != nullptr) {
      release_holding(local, *local.current, held);
      return 0;
    }
  } else if (unpin_outside(local, db) != Unpinned::none) {
    return 0;
  }
  if (!exists(Kind::block, db)) return OCR_EINVAL;
  return local.current == nullptr ? 0 : OCR_EACCES;  // outside of EDTs nothing is held
}

}  // namespace

extern "C" {

u8 ocrDbCreate(ocrGuid_t* db, void** addr, u64 len, u16 flags, ocrHint_t* hint, ocrInDbAllocator_t allocator) {
  if (db == nullptr || (addr == nullptr && (flags & DB_PROP_NO_ACQUIRE) == 0)) return OCR_EINVAL;
  if (static_cast<unsigned>(allocator) > WEIR_ALLOC) return OCR_EINVAL;
  ocrHint_t of_affinity;
  if (is_affinity(hint)) [[unlikely]]
    hint = &(of_affinity = hint_of_affinity(hint, OCR_HINT_DB_T));
  if (hint != nullptr && hint->type != OCR_HINT_DB_T) hint = nullptr;
  return in_program([&](Local& local) { return create(local, db, addr, len, flags, hint, allocator != NO_ALLOC); });
}

u8 ocrDbDestroy(ocrGuid_t db) {
  return in_program([&](Local& local) { return destroy_block(local, from_c(db)); });
}

u8 ocrDbRelease(ocrGuid_t db) {
  if (from_c(db).is_null()) return 0;
  return in_program([&](Local& local) { return release_db(local, from_c(db)); });
}

u8 ocrDbDowngradeRelease(ocrGuid_t db) { return ocrDbRelease(db); }

u8 ocrDbGetSize(ocrGuid_t db, u64* size) {
  if (size == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    const Guid guid = from_c(db);
    if (local.current != nullptr) {
      const Holding held = find_held(*local.current, guid);
      if (held.block != nullptr) {
        *size = held.block->size;
        return 0;
      }
    }
    const Block* const block = find_object(blocks(), Kind::block, guid);
    if (block == nullptr && !exists(Kind::block, guid)) return OCR_EINVAL;
    if (local.current != nullptr) return OCR_EACCES;
    if (block == nullptr)
      return refuse_far(local.program, guid,
                        "a thread outside of EDTs asks for the size of a data block of another rank");
    *size = block->size;
    return 0;
  });
}

}  // extern "C"
