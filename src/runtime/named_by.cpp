// SPDX-License-Identifier: Apache-2.0

#include "runtime/named_by.hpp"

namespace weir::runtime {

void NamedBy::note_slow(std::uint64_t mark) noexcept {
  // Relaxed, all of it: the word is compared and never followed; whoever destroys the memory comes after those that
  // have named it, by the program's own order.
  std::uint64_t seen = __atomic_load_n(word_, __ATOMIC_RELAXED);
  for (;;) {
    std::uint64_t next = mark;
    if (seen != 0) next = (seen ^ mark) >> kNumberShift == 0 ? (mark & ~kScopeBits) | kSeveral : kSeveralRuntimes;
    if (seen == next || __atomic_compare_exchange_n(word_, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

}  // namespace weir::runtime
