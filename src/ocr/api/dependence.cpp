// SPDX-License-Identifier: Apache-2.0

// Dependences between blocks, events and EDTs.
#include "ocr/api/api.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far_events.hpp"
#include "ocr/graph/far_links.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"

using namespace weir::ocr;

namespace {

bool is_mode(ocrDbAccessMode_t mode) noexcept {
  return mode == DB_MODE_NULL || mode == DB_MODE_CONST || mode == DB_MODE_RW || mode == DB_MODE_EW ||
         mode == DB_MODE_RO;
}

u8 to_far_edt(Local& local, Guid source, u32 output, Guid target, u32 index, std::uint8_t mode) {
  if (is_linked(source) || is_unmade(source)) return depend_far(local, source, output, target, index, mode);
  return satisfy_far(target, index, source, mode);
}

u8 to_edt(Local& local, Guid source, u32 output, Guid target, u32 index, ocrDbAccessMode_t mode) {
  if (!is_mode(mode)) return OCR_EINVAL;
  Edt* const edt = find_edt(target);
  if (edt == nullptr && is_far(target))
    return to_far_edt(local, source, output, target, index, static_cast<std::uint8_t>(mode));
  if (edt == nullptr || index >= edt->depc()) return OCR_EINVAL;
  EdtBody& body = edt->body();
  Slot& slot = body.slots()[index];
  if (!try_claim(slot)) return OCR_EPERM;
  slot.mode = static_cast<std::uint8_t>(mode);
  if (checking::active()) checking::needed_by(*edt);
  if (!is_linked(source)) {
    if (is_unmade(source)) {
      body.await(slot, source);
      if (try_await_object(source, slot_node(slot), output)) return 0;
    }
    if (checking::active()) checking::used(local, source);
    satisfy(local, slot, source);
    return 0;
  }
  body.await(slot, source);
  const u8 code = add_dependent_or_await(local, source, slot_node(slot), output);
  // Relaxed: this thread has claimed the slot, and no event knows it (SLOT-1).
  if (code != 0) slot.state.store(SlotState::open, std::memory_order_relaxed);
  return code;
}

// A data block, or nothing. One that may be made, and is not to be waited for, is there: the event gets it, even if it
// is destroyed during that time.
u8 block_to_event(Local& local, Guid source, u32 output, Guid target, u32 slot) {
  if (!may_be_made(source)) return satisfy_event(local, target, slot, source);
  if (is_unmade(source)) {
    if (!event_exists(target) && !is_far(target)) return OCR_EINVAL;
    if (const u8 code = check_slot(target, slot)) return code;
    const Node link = make_link(local, target, slot);
    if (try_await_object(source, link, output)) return 0;
    local.links.give(link_of(link));
  }
  return pass_to_event(local, target, slot, source);
}

u8 to_event(Local& local, Guid source, u32 output, Guid target, u32 slot) {
  if (!is_linked(source)) return block_to_event(local, source, output, target, slot);
  if (!event_exists(target) && !is_far(target)) return OCR_EINVAL;
  if (const u8 code = check_slot(target, slot)) return code;
  const Node link = make_link(local, target, slot);
  const u8 code = add_dependent_or_await(local, source, link, output);
  if (code != 0) local.links.give(link_of(link));
  return code;
}

u8 add(Local& local, Guid source, u32 output, Guid target, u32 slot, ocrDbAccessMode_t mode) {
  const bool known = source.is_null() || may_be_block(source) || may_be_event(source) || may_be_made(source);
  if (!known) return exists(Kind::edt, source) ? OCR_EPERM : OCR_EINVAL;
  if (target.kind() == Kind::edt) return to_edt(local, source, output, target, slot, mode);
  if (target.kind() == Kind::event) return to_event(local, source, output, target, slot);
  return exists(Kind::block, target) ? OCR_EPERM : OCR_EINVAL;
}

}  // namespace

extern "C" {

u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode) {
  if (from_c(source).is_null() && from_c(destination).is_null()) return 0;
  return ocrAddDependenceSlot(source, 0, destination, slot, mode);
}

u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sslot, ocrGuid_t destination, u32 dslot, ocrDbAccessMode_t mode) {
  return in_program([&](Local& local) { return add(local, from_c(source), sslot, from_c(destination), dslot, mode); });
}

}  // extern "C"
