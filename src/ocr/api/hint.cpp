// SPDX-License-Identifier: Apache-2.0

// Hints by themselves, and hints of objects.

#include "ocr/api/api.hpp"
#include "ocr/edts/far_edt.hpp"
#include "ocr/graph/object_hint.hpp"
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
  return in_program([&](Local& local) {
    const u8 code = set_hint(local, from_c(guid), *hint);
    if (is_far(Kind::edt_template, from_c(guid))) forget_far_template(from_c(guid));
    return code;
  });
}

u8 ocrGetHint(ocrGuid_t guid, ocrHint_t* hint) {
  if (hint == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) { return get_hint(from_c(guid), *hint); });
}

}  // extern "C"
