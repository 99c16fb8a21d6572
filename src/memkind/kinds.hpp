// SPDX-License-Identifier: Apache-2.0

// The kinds of memkind.h over heaps of tiers: what each is, whether this machine has it, and memory of it.
//
// Heaps are those of the process (alloc/tier_heap.hpp), made when a kind of theirs is first used. Any thread.
#pragma once

#include <cstddef>

#include "memkind/kind.hpp"

namespace weir::memkinds {

// MEMKIND_SUCCESS, or an error of memkind.h; the first time for each kind, why is told to whoever has asked
// (report.hpp).
int check_available(const memkind& kind) noexcept;

// Null: no room, or there is no such memory.
void* allocate(const memkind& kind, std::size_t size, std::size_t alignment) noexcept;

// Where memory is from: a heap's kind; huge for pages set aside; ordinary for malloc()'s.
memkind::Source source_of(const void* data) noexcept;

}  // namespace weir::memkinds
