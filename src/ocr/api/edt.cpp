// SPDX-License-Identifier: Apache-2.0

// Templates and EDTs.
#include "ocr/api/api.hpp"
#include "ocr/edts/far_edt.hpp"
#include "ocr/edts/new_edt.hpp"
#include "ocr/objects/label.hpp"

using namespace weir::ocr;

extern "C" {

u8 ocrEdtTemplateCreate_internal(ocrGuid_t* guid, ocrEdt_t funcPtr, u32 paramc, u32 depc, const char* funcName) {
  if (guid == nullptr) return OCR_EINVAL;
  *guid = NULL_GUID;
  if (funcPtr == nullptr || paramc == EDT_PARAM_DEF || depc == EDT_PARAM_DEF) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    const EdtKind* const kind = intern(funcPtr, funcName);
    Guid made;
    Template* of = nullptr;
    if (const u8 code = make_object(local, templates(), local.templates, Kind::edt_template, 0, made, of)) return code;
    of->kind = kind;
    of->paramc = paramc;
    of->depc = depc;
    of->hint.clear();
    object_made(local, *of, made);
    *guid = to_c(made);
    return 0;
  });
}

u8 ocrEdtTemplateDestroy(ocrGuid_t guid) {
  return in_program([&](Local& local) { return destroy_template(local, from_c(guid)); });
}

u8 ocrEdtCreate(ocrGuid_t* guid, ocrGuid_t templateGuid, u32 paramc, u64* paramv, u32 depc, ocrGuid_t* depv,
                u16 properties, ocrHint_t* hint, ocrGuid_t* outputEvent) {
  const bool labelled = (properties & GUID_PROP_IS_LABELED) != 0;
  if (guid == nullptr && labelled) return OCR_EINVAL;
  const void* const site = __builtin_return_address(0);
  ocrHint_t of_affinity;
  if (is_affinity(hint)) [[unlikely]]
    hint = &(of_affinity = hint_of_affinity(hint, OCR_HINT_EDT_T));
  const u8 code = in_program([&](Local& local) {
    const Guid label = labelled ? from_c(*guid) : Guid{};
    EdtRequest request{
        label, from_c(templateGuid), paramc, paramv, depc, depv, static_cast<u16>(properties & ~kFarRequest), hint,
        guid,  outputEvent,          site};
    return create_edt(local, request);
  });
  if (code != 0 && guid != nullptr && !labelled) *guid = NULL_GUID;
  return code;
}

u8 ocrEdtDestroy(ocrGuid_t guid) {
  return in_program([&](Local& local) { return destroy_edt(local, from_c(guid)); });
}

}  // extern "C"
