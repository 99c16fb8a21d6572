// SPDX-License-Identifier: Apache-2.0

// CRC-32C (Castagnoli; RFC 3720): finds every single flipped bit, and every damage of up to 32 bits in a row.
// Pure; any thread. Budget: 0.5 ns a byte where the processor has no instruction for it, a tenth of that where it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::platform {

// Of `text` behind something whose checksum is `before`; 0 is that of nothing.
std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0) noexcept;

// The same from a table, on any processor: what the other is tested with.
std::uint32_t crc32c_by_table(std::string_view text, std::uint32_t before = 0) noexcept;

}  // namespace weir::platform
