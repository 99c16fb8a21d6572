// SPDX-License-Identifier: Apache-2.0

// Which scopes have named a block or a watched array in a footprint.
//
// One word for each, that a scope writes when it first names the memory: naming it again is a load and a comparison.
// One scope is told apart from several; that suffices, since memory is mostly named by one, and waiting for more than
// needed is right, too (lifetime.hpp). A watched array may be named by several runtimes: which, a list tells. Any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/mutex.hpp"

namespace weir::runtime {

// 0: nobody. Else the mark of a scope, which is its runtime's number, as in a generation, and below it its address; or
// one of those for several.
class NamedBy {
 public:
  static constexpr int kNumberShift = 48;  // of the generation
  static constexpr std::uint64_t kScopeBits = (std::uint64_t{1} << kNumberShift) - 1;
  static constexpr std::uint64_t kSeveral = 1;                          // below the number: scopes of one runtime
  static constexpr std::uint64_t kSeveralRuntimes = ~std::uint64_t{0};  // the whole word, of a watched array

  explicit NamedBy(std::uint64_t& word) noexcept : word_(&word) {}
  // The scope of that mark names the memory.
  void note(std::uint64_t mark) noexcept {
    if (!is(mark)) [[unlikely]]
      note_slow(mark);
  }
  // That scope alone has named it. Relaxed: it is the caller's, and what it has written the caller sees.
  bool is(std::uint64_t mark) const noexcept { return seen() == mark; }
  // Relaxed: as take().
  std::uint64_t seen() const noexcept { return __atomic_load_n(word_, __ATOMIC_RELAXED); }
  // Nobody has from here on. Returns who had; those that have not been waited for are to be noted again. Relaxed: their
  // tasks are waited for by their scopes (SCOPE-1).
  std::uint64_t take() noexcept { return __atomic_exchange_n(word_, 0, __ATOMIC_RELAXED); }

 private:
  void note_slow(std::uint64_t mark) noexcept;
  std::uint64_t* word_;
};

// The runtimes that have named a watched array, once there are several: of each a mark, as in the word.
class NamingRuntimes {
 public:
  // The scope of that mark names the array, whose word that is. Throws std::bad_alloc, and nothing is noted.
  void note(std::uint64_t& word, std::uint64_t mark);
  // When the word says that there are several. Who destroys the array: nobody names it any more.
  std::vector<std::uint64_t> take() noexcept;
  // The runtime of that number has ended, and those who have named the array there.
  void forget(std::uint64_t& word, std::uint16_t number) noexcept;

 private:
  base::Mutex mutex_;
  std::vector<std::uint64_t> marks_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::runtime
