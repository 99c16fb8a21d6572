// SPDX-License-Identifier: Apache-2.0

// Labels: ranges of GUIDs that programs compute, and making an object under one of them.
//
// A range is a run of indices of one table, never used for anything else. Any thread.
#pragma once

#include <cstdint>

#include "ocr/local.hpp"

namespace weir::ocr {

// Whether the GUID lies in a range that was not destroyed.
bool is_reserved(Guid label) noexcept;

// Waits a moment for something that another EDT has to do: runs a ready one, or lets another thread run.
void let_others_run(Local& local) noexcept;

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
  while (!try_create(*object, guid)) {
    if ((properties & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return OCR_EGUIDEXISTS;
    let_others_run(local);
  }
  return 0;
}
template <class T>
void object_made(T& object) noexcept {
  object.word.unlock();
}

// A locked and killed object is given up.
template <class T>
void retire(ObjectTable<T>& table, typename ObjectTable<T>::FreeList& list, T& object) noexcept {
  const bool label = object.word.generation() >= Guid::kGenerations;
  object.word.unlock();
  if (!label) table.free(list, object);
}

}  // namespace weir::ocr
