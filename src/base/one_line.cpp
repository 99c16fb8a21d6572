// SPDX-License-Identifier: Apache-2.0

#include "base/one_line.hpp"

#include <array>
#include <cstdio>

namespace weir::base {

namespace {

// U+0080 to U+009F: as UTF-8 two bytes, the first always the same.
bool is_control_of_unicode(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) >= 0x80 &&
         static_cast<unsigned char>(text[1]) < 0xa0;
}

void add_code(std::string& line, char c) {
  std::array<char, 8> code{};
  std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  line += code.data();
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      add_code(line, text[i]);
    } else if (is_control_of_unicode(text.substr(i))) {
      add_code(line, text[i]);
      add_code(line, text[++i]);
    } else {
      line += text[i];
    }
  }
  return line;
}

}  // namespace weir::base
