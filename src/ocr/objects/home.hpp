// SPDX-License-Identifier: Apache-2.0

// Home: which rank of the job a GUID's object is on.
//
// Indices are in parts, each of which has a home (division.hpp): so an object's home follows from the upper bits of its
// index, and a rank's own tables find nothing of another's. A look-up costs what it costs on one rank, and only one
// that has found nothing asks is_far(). Set before any object is made (become_rank.hpp); any thread.
#pragma once

#include <array>
#include <cstdint>

#include "base/ids.hpp"
#include "ocr/objects/division.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

struct Homes {
  std::uint32_t ranks = 1, here = 0;
  Rank self() const noexcept { return Rank{here}; }
};

namespace detail {
extern constinit Homes homes;
extern constinit std::array<std::uint16_t, kParts> home_of_part;
}  // namespace detail

inline const Homes& homes() noexcept { return detail::homes; }
inline bool is_spread() noexcept { return homes().ranks > 1; }
// Of an event, an EDT, a data block, a template or a map.
inline Rank home_of(Guid guid) noexcept { return Rank{detail::home_of_part[guid.index() >> kPartShift]}; }
// It is of an object whose home is another rank, if there is such an object.
inline bool is_far(Guid guid) noexcept {
  if (!is_spread()) [[likely]]
    return false;
  const Kind kind = guid.kind();
  return kind != Kind::none && kind <= Kind::map && home_of(guid) != homes().self();
}
// The same, and the object is of this kind.
inline bool is_far(Kind kind, Guid guid) noexcept { return guid.kind() == kind && is_far(guid); }
// What a dependence has for its source is linked to: an event, or what may be made later under a label of another rank.
inline bool is_linked(Guid source) noexcept {
  return source.kind() == Kind::event || (source.is_label() && is_far(source));
}

}  // namespace weir::ocr
