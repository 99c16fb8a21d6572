// SPDX-License-Identifier: Apache-2.0

// Guid: a GUID as one word: what it is of, a generation, and an index into the table of that kind.
//
// The generation changes whenever the entry is used again, which distinguishes a stale GUID from a live one. A label (a
// GUID of a range) keeps its generation for ever, which is 0. GUIDs of two words have a second word of 0. Pure; any
// thread.
#pragma once

#include <cstdint>

#include "ocr/ocr.h"

namespace weir::ocr {

enum class Kind : std::uint8_t { none, event, edt, block, edt_template, map, affinity, context };

struct Guid {
  static constexpr int kKindShift = 60, kGenerationShift = 32;
  static constexpr std::uint64_t kLabel = std::uint64_t{1} << 59;
  static constexpr std::uint32_t kGenerations = std::uint32_t{1} << 27;

  std::uint64_t bits = 0;

  static constexpr Guid make(Kind kind, std::uint32_t generation, std::uint32_t index) noexcept {
    return {std::uint64_t{static_cast<std::uint8_t>(kind)} << kKindShift |
            std::uint64_t{generation} << kGenerationShift | index};
  }
  static constexpr Guid make_label(Kind kind, std::uint32_t index) noexcept {
    return {make(kind, 0, index).bits | kLabel};
  }

  // One of those that a rank gives others (given_guids.hpp): a label, of a generation above 0.
  static constexpr Guid make_given(Kind kind, std::uint32_t generation, std::uint32_t index) noexcept {
    return {make(kind, generation, index).bits | kLabel};
  }

  // none for NULL_GUID and for what is no GUID: the uppermost bit of those two is set.
  constexpr Kind kind() const noexcept {
    return (bits >> 63) != 0 ? Kind::none : static_cast<Kind>(bits >> kKindShift & 7);
  }
  constexpr bool is_label() const noexcept { return (bits & kLabel) != 0; }
  constexpr bool is_given() const noexcept { return is_label() && generation() % kGenerations != 0; }
  // With the label's bit above it: a label is never taken for what is none.
  constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(bits >> kGenerationShift) & (2 * kGenerations - 1);
  }
  constexpr std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(bits); }
  constexpr bool is_null() const noexcept { return bits == 0; }
  friend constexpr bool operator==(Guid, Guid) = default;
};

inline constexpr Guid kUninitialized{static_cast<std::uint64_t>(-2)};
inline constexpr Guid kError{static_cast<std::uint64_t>(-1)};

#ifdef OCR_ENABLE_128_BIT_GUID
inline ocrGuid_t to_c(Guid guid) noexcept {
  const auto lower = static_cast<std::intptr_t>(guid.bits);
  return {lower, lower < 0 ? lower : 0};
}
inline Guid from_c(ocrGuid_t guid) noexcept {
  if (guid.upper == 0) return {static_cast<std::uint64_t>(guid.lower)};
  return guid.upper == guid.lower && guid.lower == -2 ? kUninitialized : kError;
}
#else
inline ocrGuid_t to_c(Guid guid) noexcept { return {static_cast<std::intptr_t>(guid.bits)}; }
inline Guid from_c(ocrGuid_t guid) noexcept { return {static_cast<std::uint64_t>(guid.guid)}; }
#endif

}  // namespace weir::ocr
