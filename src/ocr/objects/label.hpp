// SPDX-License-Identifier: Apache-2.0

// Labels: ranges of GUIDs that programs compute, and making an object under one of them.
//
// A range is a run of indices of one table, never used for anything else. Any thread.
#pragma once

#include <cstdint>

#include "ocr/graph/label_wait.hpp"
#include "ocr/graph/local.hpp"

namespace weir::ocr {

// Whether the GUID lies in a range that was not destroyed.
bool is_reserved(Guid label) noexcept;

// Whether the object of a label, destroyed, is still in use.
template <class T>
bool is_used_still(const T&) noexcept {
  return false;
}
inline bool is_used_still(const Block& block) noexcept { return block.memory != 0; }

// The object of a label, alive and locked. False when there is one already, if only for those who hold it.
template <class T>
bool try_create(T& object, Guid label) noexcept {
  if (!object.word.try_create(label)) return false;
  if (!is_used_still(object)) [[likely]]
    return true;
  object.word.kill();
  object.word.unlock();
  return false;
}

// Claims the label by try_claim(); waits until that is possible when the properties say so. 0 or an error code.
template <class F>
u8 wait_for_label(Local& local, Guid label, std::uint16_t properties, F&& try_claim) {
  while (!try_claim()) {
    if ((properties & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return OCR_EGUIDEXISTS;
    LabelWait wait(local, label);
    if (try_claim()) return 0;
    if (!wait.wait()) return OCR_ECANCELED;
  }
  return 0;
}

// An object for creation: a new one, or that of the label `guid` when the properties say so. 0 or an error code. It is
// alive, and locked until object_made().
template <class T>
u8 make_object(Local& local, ObjectTable<T>& table, typename ObjectTable<T>::FreeList& list, Kind kind,
               std::uint16_t properties, Guid& guid, T*& object) {
  if ((properties & GUID_PROP_IS_LABELED) == 0) [[likely]] {
    object = &table.allocate(list);
    object->word.revive_locked();
    guid = object->word.guid(kind);
    return 0;
  }
  if (guid.kind() != kind || !guid.is_label() || !is_reserved(guid)) return OCR_EINVAL;
  object = &table.at(guid.index());
  return wait_for_label(local, guid, properties, [&] { return try_create(*object, guid); });
}
// `guid`: the object's.
template <class T>
void object_made(Local& local, T& object, Guid guid) {
  object.word.unlock();
  if (guid.is_label()) [[unlikely]]
    label_made(local, guid);
}

inline constexpr Kind kind_of(const Event&) noexcept { return Kind::event; }
inline constexpr Kind kind_of(const Block&) noexcept { return Kind::block; }
inline constexpr Kind kind_of(const Template&) noexcept { return Kind::edt_template; }

// A locked and killed object is given up.
template <class T>
void retire(ObjectTable<T>& table, typename ObjectTable<T>::FreeList& list, T& object) noexcept {
  const Guid guid = object.word.guid(kind_of(object));
  object.word.unlock();
  if (guid.is_label()) [[unlikely]]
    label_left(guid);
  else
    table.free(list, object);
}

}  // namespace weir::ocr
