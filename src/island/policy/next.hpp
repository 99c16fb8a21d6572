// SPDX-License-Identifier: Apache-2.0

// Which of the first few ready tasks a worker gets: one whose predecessor ran there, as what that wrote is in its
// cache; else one that others have nothing of; else the last, which the others will come to latest.
#pragma once

#include <cstddef>

#include "island/policy/snapshot.hpp"

namespace weir::island::policy {

// Its place among them; there is at least one. Those that had no predecessor come behind those that had.
inline std::size_t next(const ReadyTasks& few) noexcept {
  std::size_t at = 0;
  while (at + 1 < few.after.size() && few.after[at] != few.worker && few.after[at] != few.nothing) ++at;
  return at;
}

}  // namespace weir::island::policy
