// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/tables.hpp"

#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace detail {
constinit Immortal<ObjectTable<Event>> events;
constinit Immortal<ObjectTable<Block>> blocks;
constinit Immortal<ObjectTable<Template>> templates;
}  // namespace detail

bool event_exists(Guid guid) noexcept { return find_object(events(), Kind::event, guid) != nullptr; }
bool block_exists(Guid guid) noexcept { return find_object(blocks(), Kind::block, guid) != nullptr; }
bool may_be_event(Guid guid) noexcept { return event_exists(guid) || is_far(Kind::event, guid); }
bool may_be_block(Guid guid) noexcept { return block_exists(guid) || is_far(Kind::block, guid); }

}  // namespace weir::ocr
