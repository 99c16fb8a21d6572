// SPDX-License-Identifier: Apache-2.0

// Memory inside data blocks, and copies between them.
#include <cstring>

#include "ocr/api/api.hpp"
#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/far_heap.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/extensions/ocr-db-info.h"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far_events.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/complain.hpp"

using namespace weir::ocr;

namespace {

// A block that the caller holds, or, outside of EDTs, one of this rank. 0 or a code.
u8 find_block(Local& local, Guid guid, Block*& block) {
  if (local.current != nullptr) {
    block = find_held(*local.current, guid).block;
    if (block != nullptr) return 0;
    return exists(Kind::block, guid) ? OCR_EACCES : OCR_EINVAL;
  }
  block = find_object(blocks(), Kind::block, guid);
  if (block != nullptr) return 0;
  if (!exists(Kind::block, guid)) return OCR_EINVAL;
  return refuse_far(local.program, guid, "a thread outside of EDTs manages memory in a data block of another rank");
}

u8 allocate(Local& local, Guid guid, u64 bytes, Block*& block, u64& offset) {
  if (const u8 code = find_block(local, guid, block)) return code;
  if (block->is_copy) return allocate_far(*block, bytes, offset);
  if (block->heap == nullptr) return OCR_EINVAL;
  const std::optional<u64> found = block->heap->allocate(bytes);
  if (!found) return OCR_ENOMEM;
  offset = *found;
  return 0;
}

u8 give_back(Block& block, u64 offset) {
  if (block.is_copy) return free_far(block, offset);
  return block.heap != nullptr && block.heap->free(offset) ? 0 : OCR_EINVAL;
}

// Where a block is that the caller holds, or, outside of EDTs, has made and not released.
std::byte* data_here(const Local& here, const Block& block) noexcept {
  if (!block.is_tiered()) return block.small();
  return here.current != nullptr ? address_in(*here.current, block) : address_outside(here, block);
}

enum CopyParam { kToOffset, kFromOffset, kSize, kCopyParams };

// Which block an event brought, and how large one of another rank is, is known only now.
bool reaches_beyond(ocrGuid_t held, u64 offset, u64 bytes, const char* what) noexcept {
  u64 size = 0;
  if (ocrDbGetSize(held, &size) == 0 && offset <= size && bytes <= size - offset) return false;
  complain(local()->current->edt, what, from_c(held));
  return true;
}

// An EDT: slot 0 the destination, slot 1 the source.
ocrGuid_t copy_edt(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const bool have_both = depv[0].ptr != nullptr && depv[1].ptr != nullptr;
  if (have_both &&
      !reaches_beyond(depv[1].guid, paramv[kFromOffset], paramv[kSize],
                      "would copy from beyond the end of a data block, and does not") &&
      !reaches_beyond(depv[0].guid, paramv[kToOffset], paramv[kSize],
                      "would copy to beyond the end of a data block, and does not")) {
    std::memmove(static_cast<std::byte*>(depv[0].ptr) + paramv[kToOffset],
                 static_cast<const std::byte*>(depv[1].ptr) + paramv[kFromOffset], paramv[kSize]);
  }
  return depv[0].guid;
}

bool fits(Guid guid, u64 offset, u64 size) noexcept {
  const Block* const block = find_object(blocks(), Kind::block, guid);
  return block == nullptr || (offset <= block->size && size <= block->size - offset);
}

u8 check_copy(Guid to, u64 to_offset, Guid from, u64 from_offset, u64 size) {
  const bool is_source = may_be_block(from) || may_be_event(from);
  if (!may_be_block(to) || !is_source) return OCR_EINVAL;
  if (!fits(to, to_offset, size) || !fits(from, from_offset, size)) return OCR_ENOMEM;
  const u64 distance = to_offset > from_offset ? to_offset - from_offset : from_offset - to_offset;
  return to == from && distance < size ? OCR_EPERM : 0;
}

// An EDT that copies, its two slots open, and the event that it satisfies. No other thread knows either of them yet, so
// the event is kept before it can fire.
u8 make_copy_edt(Local& local, u64 (&paramv)[kCopyParams], ocrGuid_t& edt, ocrGuid_t* done) {
  const bool is_sticky = done != nullptr && local.current == nullptr;
  if (is_sticky)
    if (const u8 code = ocrEventCreate(done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG)) return code;
  ocrGuid_t edt_template;
  u8 code = ocrEdtTemplateCreate_internal(&edt_template, &copy_edt, kCopyParams, 2, "ocrDbCopy");
  if (code == 0) {
    const u16 properties = is_sticky ? EDT_PROP_OEVT_VALID : EDT_PROP_NONE;
    code = ocrEdtCreate(&edt, edt_template, kCopyParams, paramv, 2, nullptr, properties, nullptr, done);
    static_cast<void>(ocrEdtTemplateDestroy(edt_template));
  }
  if (code != 0 && is_sticky) static_cast<void>(ocrEventDestroy(*done));
  if (code == 0 && done != nullptr && !is_sticky) keep_output(local, *local.current, from_c(*done));
  return code;
}

u8 copy(Local& local, ocrGuid_t to, u64 to_offset, ocrGuid_t from, u64 from_offset, u64 size, ocrGuid_t* done) {
  if (const u8 code = check_copy(from_c(to), to_offset, from_c(from), from_offset, size)) return code;
  ocrGuid_t edt;
  u64 paramv[kCopyParams] = {to_offset, from_offset, size};
  if (const u8 code = make_copy_edt(local, paramv, edt, done)) return code;
  static_cast<void>(ocrAddDependence(to, edt, 0, DB_MODE_RW));
  const bool same = from_c(to) == from_c(from);
  return ocrAddDependence(from, edt, 1, same ? DB_MODE_RW : DB_MODE_RO);
}

}  // namespace

extern "C" {

u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64* offset) {
  if (offset == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) {
    Block* block = nullptr;
    return allocate(local, from_c(guid), size, block, *offset);
  });
}

u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void** addr) {
  if (addr == nullptr) return OCR_EINVAL;
  *addr = nullptr;
  return in_program([&](Local& local) -> u8 {
    Block* block = nullptr;
    u64 offset = 0;
    if (const u8 code = allocate(local, from_c(guid), size, block, offset)) return code;
    *addr = data_here(local, *block) + offset;
    return 0;
  });
}

u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset) {
  return in_program([&](Local& local) -> u8 {
    Block* block = nullptr;
    if (const u8 code = find_block(local, from_c(guid), block)) return code;
    return give_back(*block, offset);
  });
}

u8 ocrDbFree(ocrGuid_t guid, void* addr) {
  return in_program([&](Local& local) -> u8 {
    Block* block = nullptr;
    if (const u8 code = find_block(local, from_c(guid), block)) return code;
    const auto* const at = static_cast<const std::byte*>(addr);
    const std::byte* const first = data_here(local, *block);
    if (at < first || at >= first + block->size) return OCR_EINVAL;
    return give_back(*block, static_cast<u64>(at - first));
  });
}

u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source, u64 sourceOffset, u64 size, u64,
             ocrGuid_t* completionEvt) {
  return in_program([&](Local& local) {
    return copy(local, destination, destinationOffset, source, sourceOffset, size, completionEvt);
  });
}

}  // extern "C"
