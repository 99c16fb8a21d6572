// SPDX-License-Identifier: Apache-2.0

// UTF-8 as JSON wants it: no longer form than needed, no half of a surrogate pair, nothing beyond U+10FFFF. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace weir::base {

// Length of the sequence at the start of `text`, which is not empty; 0: there is none.
constexpr std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || length > text.size() || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (length < 3) return length;
  const unsigned char second = byte(1);
  const bool is_forbidden = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                            (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return is_forbidden ? 0 : length;
}

}  // namespace weir::base
