// SPDX-License-Identifier: Apache-2.0

// EdtOrigin: what EDTs that one place in the program makes of one function have in common, kept once for all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ocr/ocr.h"

namespace weir::ocr {

// A function and its name, one for all templates of it: where things come from, in reports. Never freed.
struct EdtKind {
  ocrEdt_t function;
  const char* name;                                // null when the program gave none
  mutable std::atomic<std::uint64_t> usual_ns{0};  // what its EDTs take, where that is asked for
};
const EdtKind* intern(ocrEdt_t function, const char* name);
// Names of EDTs that the library makes: the program's first one, and those that serve others.
inline constexpr const char *kMainName = "mainEdt", *kLenderName = "that lends a data block to another rank",
                            *kReturnerName = "that takes a data block back from another rank",
                            *kBorrowerName = "that waits for a data block for another EDT",
                            *kStandInName = "that stands for one on another rank";
// It serves other ranks or EDTs, and is nothing of the program's.
bool is_librarys_own(const EdtKind& kind) noexcept;

// Never freed: there are as many as the program has places that make EDTs, or a few times that.
struct EdtOrigin {
  const EdtKind* kind;
  const EdtKind* creator;  // the EDT that makes it; null: the program's main(), or the library
  const void* site;        // of the program's code that makes it

  friend bool operator==(const EdtOrigin&, const EdtOrigin&) = default;
};

// Those that one worker has met: an open-addressed table, at most half full. One thread.
class Origins {
 public:
  Origins() : table_(std::make_unique<const EdtOrigin*[]>(kFirst)) {}
  // Throws std::bad_alloc.
  const EdtOrigin* find(const EdtOrigin& wanted) {
    for (std::size_t at = hash(wanted);; ++at) {
      const EdtOrigin* const found = table_[at & mask_];
      if (found == nullptr) [[unlikely]]
        return add(wanted);
      if (*found == wanted) [[likely]]
        return found;
    }
  }

 private:
  static constexpr std::size_t kFirst = 64;
  static std::size_t hash(const EdtOrigin& of) noexcept {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(of.site) +
                                (reinterpret_cast<std::uintptr_t>(of.kind) << 7) +
                                (reinterpret_cast<std::uintptr_t>(of.creator) << 14);
    return static_cast<std::size_t>(mixed * 0x9e3779b97f4a7c15u >> 40);
  }
  [[gnu::noinline]] const EdtOrigin* add(const EdtOrigin& wanted);
  void enter(const EdtOrigin* origin) noexcept;

  std::unique_ptr<const EdtOrigin*[]> table_;  // null: free
  std::size_t mask_ = kFirst - 1;
  std::size_t count_ = 0;
};

}  // namespace weir::ocr
