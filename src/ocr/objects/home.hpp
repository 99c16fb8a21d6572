// SPDX-License-Identifier: Apache-2.0

// Home: which rank of the job a GUID's object is on.
//
// The indices of each table are cut in equal parts, one for each rank, which makes its objects in its own: an object's
// home is in the upper bits of its index, and a rank's own tables find nothing of another's. So a look-up costs what it
// costs on one rank, and only one that has found nothing asks is_far(). Set once (become_rank.hpp), before any object
// is made; any thread.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

struct Homes {
  std::uint32_t ranks = 1, here = 0;
  int shift = 32;  // of an index, to its home

  Rank self() const noexcept { return Rank{here}; }
  std::uint64_t first() const noexcept { return std::uint64_t{here} << shift; }
  std::uint64_t end() const noexcept { return (std::uint64_t{here} + 1) << shift; }
};

namespace detail {
extern constinit Homes homes;
}  // namespace detail

inline const Homes& homes() noexcept { return detail::homes; }
// How many ranks there may be: each has a chunk of every table at least.
inline constexpr std::uint32_t kMostRanks = std::uint32_t{1} << 16;

inline bool is_spread() noexcept { return homes().ranks > 1; }
// Of an event, an EDT, a data block, a template or a map.
inline Rank home_of(Guid guid) noexcept {
  const Homes& all = homes();
  return Rank{static_cast<std::uint32_t>(std::uint64_t{guid.index()} >> all.shift)};
}
// It is of an object whose home is another rank, if there is such an object.
inline bool is_far(Guid guid) noexcept {
  if (!is_spread()) [[likely]]
    return false;
  const Kind kind = guid.kind();
  const Rank home = home_of(guid);
  return kind != Kind::none && kind <= Kind::map && home != homes().self() &&
         static_cast<std::uint32_t>(home) < homes().ranks;
}

}  // namespace weir::ocr
