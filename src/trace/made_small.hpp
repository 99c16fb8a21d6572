// SPDX-License-Identifier: Apache-2.0

// MadeSmall: the small number of an event `made`: where a block's home is, and what its maker asked for.
#pragma once

#include <cstdint>

namespace weir::trace {

// Bits 0 to 3: the tier of its home (kNoTier: none); bit 4: it stays there for ever; bits 5 and 6: the tier that was
// asked for; bit 7: of its nodes the nearest. The last three as data::engine::PlacementHint has them. A value.
class MadeSmall {
 public:
  constexpr explicit MadeSmall(std::uint8_t word) noexcept : word_(word) {}
  constexpr MadeSmall(std::uint8_t home, bool pinned, std::uint8_t tier, bool near_domain) noexcept
      : word_(static_cast<std::uint8_t>(home | (pinned ? 16 : 0) | (tier & 3) << 5 | (near_domain ? 128 : 0))) {}

  constexpr std::uint8_t word() const noexcept { return word_; }
  constexpr std::uint8_t home() const noexcept { return word_ & 15; }
  constexpr bool pinned() const noexcept { return (word_ & 16) != 0; }
  constexpr std::uint8_t tier() const noexcept { return word_ >> 5 & 3; }
  constexpr bool near_domain() const noexcept { return (word_ & 128) != 0; }

 private:
  std::uint8_t word_;
};

}  // namespace weir::trace
