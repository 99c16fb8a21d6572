// SPDX-License-Identifier: Apache-2.0

// Which scopes have named a block or a watched array in a footprint.
//
// One word for each, that a scope writes when it first names the memory: naming it again is a load and a comparison.
// One scope is told apart from several; that suffices, since memory is mostly named by one, and waiting for more than
// needed is right, too (lifetime.hpp). Any thread.
#pragma once

#include <cstdint>

namespace weir::runtime {

// 0: nobody. Else the mark of a scope, which is its runtime's number, as in a generation, and below it its address; or
// one of those for several.
class NamedBy {
 public:
  static constexpr int kNumberShift = 48;  // of the generation
  static constexpr std::uint64_t kScopeBits = (std::uint64_t{1} << kNumberShift) - 1;
  static constexpr std::uint64_t kSeveral = 1;                          // below the number: scopes of one runtime
  static constexpr std::uint64_t kSeveralRuntimes = ~std::uint64_t{0};  // the whole word

  explicit NamedBy(std::uint64_t& word) noexcept : word_(&word) {}
  // The scope of that mark names the memory.
  void note(std::uint64_t mark) noexcept {
    if (!is(mark)) [[unlikely]]
      note_slow(mark);
  }
  // That scope alone has named it. Relaxed: it is the caller's, and what it has written the caller sees.
  bool is(std::uint64_t mark) const noexcept { return __atomic_load_n(word_, __ATOMIC_RELAXED) == mark; }
  // Nobody has from here on. Returns who had; those that have not been waited for are to be noted again. Relaxed: their
  // tasks are waited for by their scopes (SCOPE-1).
  std::uint64_t take() noexcept { return __atomic_exchange_n(word_, 0, __ATOMIC_RELAXED); }

 private:
  void note_slow(std::uint64_t mark) noexcept;
  std::uint64_t* word_;
};

}  // namespace weir::runtime
