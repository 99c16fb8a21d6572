// SPDX-License-Identifier: Apache-2.0

// From a symmetric address of this PE to the same object of another: the first step of every operation.
//
// Budget: for the heap one compare for the PE, one for the range, one load of a table. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "shmem/world/world.hpp"

namespace weir::shmem {

// The segment of an address; null: it is not symmetric.
const Segment* segment_of_slow(std::uintptr_t address) noexcept;
inline const Segment* segment_of(const void* symmetric) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(symmetric);
  const World& w = world();
  if (w.segments[0].contains(address)) [[likely]]
    return &w.segments[0];
  if (w.segments[1].contains(address)) return &w.segments[1];
  return segment_of_slow(address);
}

// The loud end for an address that is not symmetric (says what it is: of the stack, of a library that came later, ...),
// for a PE that does not exist, and for both before start().
[[noreturn]] void fail_address(const void* symmetric, int pe) noexcept;
[[noreturn]] void fail_range(const void* symmetric, std::size_t bytes, int pe) noexcept;

// "heap + 64": the same text on all PEs for the same object, which is symmetric. The heap begins behind the library's
// own memory.
std::string place_text(const void* symmetric);

// Of what is only read: this PE's own bytes, which are those of that PE, where they are constants of the program or of
// a library (World::constants). Null: they are none, or there is no such PE.
const std::byte* constant(const void* symmetric, std::size_t bytes, int pe) noexcept;

namespace detail {

// For what is in no segment, and for a PE that there is not.
template <bool IsRead>
[[gnu::cold]] std::byte* beyond_segments(const void* symmetric, std::size_t bytes, int pe) noexcept {
  if constexpr (IsRead) {
    if (const std::byte* const own = constant(symmetric, bytes, pe); own != nullptr) return const_cast<std::byte*>(own);
  }
  fail_address(symmetric, pe);
}

// By one of the tables of a segment: where the object of that PE is in this process's memory, or null.
template <const std::ptrdiff_t* Segment::*Table, bool IsRead = false>
std::byte* at_pe(const void* symmetric, int pe) noexcept {
  const Segment* segment = segment_of(symmetric);
  if (segment == nullptr || static_cast<unsigned>(pe) >= static_cast<unsigned>(world().n_pes)) [[unlikely]]
    return beyond_segments<IsRead>(symmetric, 1, pe);
  const std::ptrdiff_t delta = (segment->*Table)[pe];
  if (delta == Segment::kNotMapped) [[unlikely]]
    return nullptr;
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(symmetric) + static_cast<std::uintptr_t>(delta));
}
template <const std::ptrdiff_t* Segment::*Table, bool IsRead = false>
std::byte* at_pe(const void* symmetric, std::size_t bytes, int pe) noexcept {
  const Segment* segment = segment_of(symmetric);
  if (segment == nullptr || static_cast<unsigned>(pe) >= static_cast<unsigned>(world().n_pes)) [[unlikely]]
    return beyond_segments<IsRead>(symmetric, bytes, pe);
  if (!segment->contains(reinterpret_cast<std::uintptr_t>(symmetric), bytes)) [[unlikely]]
    fail_range(symmetric, bytes, pe);
  return at_pe<Table>(symmetric, pe);
}

}  // namespace detail

// Where the object of that PE is in this process's memory; null: it is reached through a channel (locate()). Ends the
// program when the address is not symmetric or there is no such PE.
inline std::byte* mapped(const void* symmetric, int pe) noexcept {
  return detail::at_pe<&Segment::to_pe>(symmetric, pe);
}
// As mapped(), for `bytes` bytes, all of which are checked.
inline std::byte* mapped(const void* symmetric, std::size_t bytes, int pe) noexcept {
  return detail::at_pe<&Segment::to_pe>(symmetric, bytes, pe);
}

// As mapped(), for what is only read: constants, too.
inline const std::byte* mapped_source(const void* symmetric, std::size_t bytes, int pe) noexcept {
  return detail::at_pe<&Segment::to_pe, true>(symmetric, bytes, pe);
}

// As mapped(), for the short way of an operation: null also in a traced or checked run.
inline std::byte* direct(const void* symmetric, int pe) noexcept {
  return detail::at_pe<&Segment::direct_to_pe>(symmetric, pe);
}
inline std::byte* direct(const void* symmetric, std::size_t bytes, int pe) noexcept {
  return detail::at_pe<&Segment::direct_to_pe>(symmetric, bytes, pe);
}

// The same for a get, whose source may be a constant.
inline const std::byte* direct_source(const void* symmetric, std::size_t bytes, int pe) noexcept {
  return detail::at_pe<&Segment::direct_to_pe, true>(symmetric, bytes, pe);
}
// The same for what programs poll with (Segment::polled_to_pe).
inline std::byte* polled(const void* symmetric, int pe) noexcept {
  return detail::at_pe<&Segment::polled_to_pe>(symmetric, pe);
}
inline const std::byte* polled_source(const void* symmetric, int pe) noexcept {
  return detail::at_pe<&Segment::polled_to_pe, true>(symmetric, pe);
}
inline const std::byte* polled_source(const void* symmetric, std::size_t bytes, int pe) noexcept {
  return detail::at_pe<&Segment::polled_to_pe, true>(symmetric, bytes, pe);
}

// shmem_ptr: null as well when the address is not symmetric or there is no such PE.
std::byte* try_mapped(const void* symmetric, int pe) noexcept;

// For Channel: where the object is on that PE; nothing when the address is not symmetric or there is no such PE.
std::optional<transport::Location> locate(const void* symmetric, int pe) noexcept;

// The number of a symmetric object or a constant, the same on every PE; 0: it is neither. And the object of this PE
// that has such a number, which name_of() of any PE has given.
std::uint64_t name_of(const void* object) noexcept;
const void* named(std::uint64_t name) noexcept;

// Whether all of it is in one symmetric segment.
bool is_symmetric(const void* data, std::size_t bytes) noexcept;

// Of an array of this PE: ends the program when it begins in a segment and goes beyond its end, where memory of another
// PE or of the library may lie. What begins in none is not looked at. Budget: for the heap two compares.
void check_end_slow(const void* array, std::size_t bytes) noexcept;
inline void check_end(const void* array, std::size_t bytes) noexcept {
  const World& w = world();
  for (const Segment& segment : w.segments) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(array) - segment.start;
    if (offset >= segment.size) continue;
    if (bytes > segment.size - offset) [[unlikely]]
      fail_range(array, bytes, w.my_pe);
    return;
  }
  check_end_slow(array, bytes);
}

// Another PE's part of the library's own symmetric memory; null: it is reached through a channel, by the same address
// of one's own (World::internal).
inline std::byte* internal(int pe) noexcept { return mapped(world().internal, pe); }

}  // namespace weir::shmem
