// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/object_hint.hpp"

#include <mutex>
#include <utility>

#include "ocr/blocks/block_hint.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

struct HintFor {
  Guid object;
  ocrHint_t hint{};
};

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

// Ranks that know the template ask for it again. EDTs that were made of it stay as they are.
u8 set_of_template(Guid guid, const ocrHint_t& hint) {
  bool is_known_elsewhere = false;
  const u8 code = with(templates(), Kind::edt_template, guid, [&](Template& of) -> u8 {
    if (hint.type != OCR_HINT_EDT_T) return OCR_EINVAL;
    of.hint.merge(hint);
    is_known_elsewhere = std::exchange(of.is_known_elsewhere, false);
    return 0;
  });
  if (is_known_elsewhere) Mail::running()->post_to_others(Say::forget_template, Writer().put(guid));
  return code;
}

u8 set_here(Local& local, Guid guid, const ocrHint_t& hint) {
  const bool for_block = hint.type == OCR_HINT_DB_T;
  switch (guid.kind()) {
    case Kind::edt: return set_of_edt(local, guid, hint);
    case Kind::edt_template: return set_of_template(guid, hint);
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

u8 get_here(Guid guid, ocrHint_t& hint) {
  switch (guid.kind()) {
    case Kind::edt:
      if (is_bare(guid)) {
        hint = late_hint(guid);
        return is_bare(guid) ? 0 : OCR_EINVAL;  // once it has ended its hint may be dropped
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

u8 set_hint(Local& local, Guid object, const ocrHint_t& hint) {
  if (is_far(object)) return ask_or_post(home_of(object), Say::set_hint, Writer().put(HintFor{object, hint}));
  return set_here(local, object, hint);
}

u8 get_hint(Guid object, ocrHint_t& hint) {
  if (!is_far(object)) return get_here(object, hint);
  const Answer answer = Mail::running()->ask(home_of(object), Say::get_hint, Writer().put(object));
  if (answer.code == 0) hint = Reader(answer.body).get<ocrHint_t>();
  return answer.code;
}

// ---- Asked by another rank ----

Answer answer_set_hint(Local& local, Reader& body) {
  const auto wanted = body.get<HintFor>();
  return {set_here(local, wanted.object, wanted.hint)};
}

Answer answer_get_hint(Reader& body) {
  ocrHint_t hint{};
  const u8 code = get_here(body.get<Guid>(), hint);
  return {code, Writer().put(hint).take()};
}

}  // namespace weir::ocr
