// SPDX-License-Identifier: Apache-2.0

// The last line of a trace file in JSON, which says the checksum of all that stands before it:
//
//   "checksum":"crc32c:9ae8f3b1"}}
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::trace {

// `end`, the last part of a file's contents, with that line behind it. `before`: the CRC-32C of what is before `end`.
std::string with_checksum(std::string end, std::uint32_t before);

struct Checksum {
  std::uint32_t said = 0;  // by the line
  std::uint32_t is = 0;    // of what stands before it
};

// None when `file` does not end with such a line. Costs a look at each byte.
std::optional<Checksum> find_checksum(std::string_view file);

}  // namespace weir::trace
