// SPDX-License-Identifier: Apache-2.0

// The tables of the process, one for each kind of object, and finding an object by its GUID. Any thread.
//
// They are never destroyed: threads may end after static destruction.
#pragma once

#include "ocr/objects/block.hpp"
#include "ocr/objects/edt.hpp"
#include "ocr/objects/event.hpp"
#include "ocr/objects/object_table.hpp"

namespace weir::ocr {

template <class T>
union Immortal {
  constexpr Immortal() : value() {}
  ~Immortal() {}
  T value;
};
namespace detail {
extern constinit Immortal<ObjectTable<Event>> events;
extern constinit Immortal<ObjectTable<Block>> blocks;
extern constinit Immortal<ObjectTable<Template>> templates;
}  // namespace detail
inline ObjectTable<Event>& events() noexcept { return detail::events.value; }
inline ObjectTable<Block>& blocks() noexcept { return detail::blocks.value; }
inline ObjectTable<Template>& templates() noexcept { return detail::templates.value; }

// Both are inlined always: they are most of what a call of the API costs, and a unit of many files has many of them.
//
// The object of a GUID, locked; null when there is none.
template <class T>
[[gnu::always_inline]] inline T* lock_object(ObjectTable<T>& table, Kind kind, Guid guid) noexcept {
  if (guid.kind() != kind) return nullptr;
  T* const object = table.find(guid.index());
  return object != nullptr && object->word.lock(guid.generation()) ? object : nullptr;
}
// The object of a GUID, without locking it.
template <class T>
[[gnu::always_inline]] inline T* find_object(ObjectTable<T>& table, Kind kind, Guid guid) noexcept {
  if (guid.kind() != kind) return nullptr;
  T* const object = table.find(guid.index());
  return object != nullptr && object->word.alive(guid.generation()) ? object : nullptr;
}

bool event_exists(Guid guid) noexcept;
bool block_exists(Guid guid) noexcept;
// There is one, or, of another rank, there may be.
bool may_be_event(Guid guid) noexcept;
bool may_be_block(Guid guid) noexcept;

}  // namespace weir::ocr
