// SPDX-License-Identifier: Apache-2.0

#include "base/one_line.hpp"

#include <array>
#include <cstdio>

namespace weir::base {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(byte));
      line += code.data();
    }
  }
  return line;
}

}  // namespace weir::base
