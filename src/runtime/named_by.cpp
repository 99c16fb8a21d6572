// SPDX-License-Identifier: Apache-2.0

#include "runtime/named_by.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace weir::runtime {

namespace {

bool are_of_one_runtime(std::uint64_t a, std::uint64_t b) noexcept { return (a ^ b) >> NamedBy::kNumberShift == 0; }

// For both scopes, of one runtime.
std::uint64_t together(std::uint64_t seen, std::uint64_t mark) noexcept {
  return seen == mark ? mark : (mark & ~NamedBy::kScopeBits) | NamedBy::kSeveral;
}

}  // namespace

void NamedBy::note_slow(std::uint64_t mark) noexcept {
  // Relaxed, all of it: the word is compared and never followed; whoever destroys the memory comes after those that
  // have named it, by the program's own order.
  std::uint64_t seen = __atomic_load_n(word_, __ATOMIC_RELAXED);
  for (;;) {
    WEIR_ASSERT(seen == 0 || are_of_one_runtime(seen, mark), "a block is named by tasks of several runtimes");
    const std::uint64_t next = seen == 0 ? mark : together(seen, mark);
    if (seen == next || __atomic_compare_exchange_n(word_, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

void NamingRuntimes::note(std::uint64_t& word, std::uint64_t mark) {
  NamedBy named(word);
  if (named.is(mark)) return;
  const base::Lock lock(mutex_);
  const std::uint64_t seen = named.seen();
  if (seen != NamedBy::kSeveralRuntimes) {
    if (seen == 0 || are_of_one_runtime(seen, mark)) return named.note(mark);
    marks_.assign({seen, mark});
    __atomic_store_n(&word, NamedBy::kSeveralRuntimes, __ATOMIC_RELAXED);  // relaxed: as NamedBy, and under the lock
    return;
  }
  const auto known = std::ranges::find_if(marks_, [&](std::uint64_t m) { return are_of_one_runtime(m, mark); });
  if (known == marks_.end())
    marks_.push_back(mark);
  else
    *known = together(*known, mark);
}

std::vector<std::uint64_t> NamingRuntimes::take() noexcept {
  const base::Lock lock(mutex_);
  return std::exchange(marks_, {});
}

// Relaxed: as NamedBy, and under the lock; nobody else writes a mark of that runtime.
void NamingRuntimes::forget(std::uint64_t& word, std::uint16_t number) noexcept {
  const auto is_of_it = [number](std::uint64_t mark) { return mark >> NamedBy::kNumberShift == number; };
  const base::Lock lock(mutex_);
  const std::uint64_t seen = NamedBy(word).seen();
  if (seen == NamedBy::kSeveralRuntimes)
    std::erase_if(marks_, is_of_it);
  else if (seen != 0 && is_of_it(seen))
    __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
}

}  // namespace weir::runtime
