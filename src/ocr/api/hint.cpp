// SPDX-License-Identifier: Apache-2.0

// Hints by themselves, and hints of objects.

#include "base/mutex.hpp"
#include "ocr/api/api.hpp"
#include "ocr/blocks/block_hint.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"

using namespace weir::ocr;

namespace {

// One bit of the mask and its value; null when the property is of another type.
u64* slot_of(ocrHint_t* hint, ocrHintProp_t property, u64& bit) noexcept {
  const int index = hint == nullptr ? -1 : hint_index(*hint, property);
  if (index < 0) return nullptr;
  bit = u64{1} << index;
  return &hint_slot(*hint, index);
}

template <class F>
u8 with_edt(Guid guid, F&& f) {
  Edt* const edt = lock_edt(guid);
  if (edt == nullptr) return OCR_EINVAL;
  const std::lock_guard lock(edt->body().word, std::adopt_lock);
  return f(*edt);
}

// f(Object&) with the object locked.
template <class T, class F>
u8 with(ObjectTable<T>& table, Kind kind, Guid guid, F&& f) {
  T* const object = lock_object(table, kind, guid);
  if (object == nullptr) return OCR_EINVAL;
  const std::lock_guard lock(object->word, std::adopt_lock);
  return f(*object);
}

bool is_bare(Guid guid) noexcept {
  const Edt* const edt = find_edt(guid);
  return edt != nullptr && edt->is_bare();
}

// What places an EDT that is ready is others' to read.
u8 set_of_edt(Local& local, Guid guid, const ocrHint_t& hint) {
  if (is_bare(guid)) {
    if (hint.type != OCR_HINT_EDT_T) return OCR_EINVAL;
    keep_late_hint(guid, hint);
    return 0;
  }
  Edt* held_back = nullptr;
  const u8 code = with_edt(guid, [&](Edt& edt) -> u8 {
    if (hint.type != OCR_HINT_EDT_T) return OCR_EINVAL;
    if (edt.has(Edt::kNoHint)) return OCR_EPERM;
    keep_hint(edt, hint);
    if (!try_hold_back(edt)) return 0;
    held_back = &edt;
    place_by_hint(local, edt, hint);
    return 0;
  });
  if (held_back != nullptr) arrive(local, *held_back);
  return code;
}

u8 set(Local& local, Guid guid, const ocrHint_t& hint) {
  if (is_far(guid)) return refuse_across_ranks(local.program, "an object of another rank is given hints");
  const bool for_edt = hint.type == OCR_HINT_EDT_T, for_block = hint.type == OCR_HINT_DB_T;
  switch (guid.kind()) {
    case Kind::edt: return set_of_edt(local, guid, hint);
    case Kind::edt_template:
      return with(templates(), Kind::edt_template, guid, [&](Template& of) -> u8 {
        if (!for_edt) return OCR_EINVAL;
        of.hint.merge(hint);
        return 0;
      });
    case Kind::block:
      return with(blocks(), Kind::block, guid, [&](Block& block) -> u8 {
        if (!for_block) return OCR_EINVAL;
        if (block.no_hint) return OCR_EPERM;
        apply_hint(block, hint);
        return 0;
      });
    case Kind::event:
      return with(events(), Kind::event, guid,
                  [&](Event&) -> u8 { return hint.type == OCR_HINT_EVT_T ? 0 : OCR_EINVAL; });
    default: return OCR_EINVAL;
  }
}

void read(const ocrHint_t* from, ocrHintType_t type, ocrHint_t& hint) noexcept {
  hint.type = type;
  hint.propMask = 0;
  if (from != nullptr) merge_hint(hint, *from);
}

u8 get(Local& local, Guid guid, ocrHint_t& hint) {
  if (is_far(guid)) return refuse_across_ranks(local.program, "the hints of an object of another rank are asked for");
  switch (guid.kind()) {
    case Kind::edt:
      if (is_bare(guid)) {
        hint = late_hint(guid);
        return 0;
      }
      return with_edt(guid, [&](Edt& edt) -> u8 {
        read(edt.body().hint.load(), OCR_HINT_EDT_T, hint);
        return 0;
      });
    case Kind::edt_template:
      return with(templates(), Kind::edt_template, guid, [&](Template& of) -> u8 {
        hint = of.hint.read();
        return 0;
      });
    case Kind::block:
      return with(blocks(), Kind::block, guid, [&](Block& block) -> u8 {
        read(block.hint, OCR_HINT_DB_T, hint);
        return 0;
      });
    case Kind::event:
      return with(events(), Kind::event, guid, [&](Event&) -> u8 {
        read(nullptr, OCR_HINT_EVT_T, hint);
        return 0;
      });
    default: return OCR_EINVAL;
  }
}

}  // namespace

extern "C" {

u8 ocrHintInit(ocrHint_t* hint, ocrHintType_t hintType) {
  if (hint == nullptr || hintType <= OCR_HINT_UNDEF_T || hintType > OCR_HINT_GROUP_T) return OCR_EINVAL;
  *hint = {hintType, 0, {}};
  return 0;
}

u8 ocrSetHintValue(ocrHint_t* hint, ocrHintProp_t hintProp, u64 value) {
  u64 bit = 0;
  u64* const slot = slot_of(hint, hintProp, bit);
  if (slot == nullptr) return OCR_EINVAL;
  *slot = value;
  hint->propMask |= bit;
  return 0;
}

u8 ocrUnsetHintValue(ocrHint_t* hint, ocrHintProp_t hintProp) {
  u64 bit = 0;
  if (slot_of(hint, hintProp, bit) == nullptr) return OCR_EINVAL;
  if ((hint->propMask & bit) == 0) return OCR_ENOENT;
  hint->propMask &= ~bit;
  return 0;
}

u8 ocrGetHintValue(ocrHint_t* hint, ocrHintProp_t hintProp, u64* value) {
  u64 bit = 0;
  const u64* const slot = slot_of(hint, hintProp, bit);
  if (slot == nullptr || value == nullptr) return OCR_EINVAL;
  if ((hint->propMask & bit) == 0) return OCR_ENOENT;
  *value = *slot;
  return 0;
}

u8 ocrHintSetValue(ocrHint_t* hint, ocrHintProp_t hintProp, u64 value) {
  return ocrSetHintValue(hint, hintProp, value);
}
u8 ocrHintUnsetValue(ocrHint_t* hint, ocrHintProp_t hintProp) { return ocrUnsetHintValue(hint, hintProp); }
u8 ocrHintGetValue(ocrHint_t* hint, ocrHintProp_t hintProp, u64* value) {
  return ocrGetHintValue(hint, hintProp, value);
}

u8 ocrSetHint(ocrGuid_t guid, ocrHint_t* hint) {
  if (hint == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) { return set(local, from_c(guid), *hint); });
}

u8 ocrGetHint(ocrGuid_t guid, ocrHint_t* hint) {
  if (hint == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) { return get(local, from_c(guid), *hint); });
}

}  // extern "C"
