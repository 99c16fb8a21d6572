// SPDX-License-Identifier: Apache-2.0

#include "roff.hpp"

#include <fmt/format.h>

#include "runtime/options.hpp"
#include "text.hpp"

namespace weir::tool {

std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
      result += c;
    }
  }
  return result;
}

void add_line(std::string& page, std::string_view text) {
  for (const std::string& line : wrap(text, 72)) page += roff(line) + "\n";
}

void add_prose(std::string& page, std::string_view text) {
  bool first = true;
  for (const std::string& paragraph : paragraphs(text)) {
    if (!first) page += ".PP\n";
    first = false;
    if (is_verbatim(paragraph)) {
      page += ".EX\n" + roff(paragraph) + "\n.EE\n";
    } else {
      add_line(page, paragraph);
    }
  }
}

void add_item(std::string& page, std::string_view title, std::string_view text) {
  page += fmt::format(".TP\n\\fB{}\\fR\n", roff(title));
  add_line(page, text);
}

void add_variables(std::string& page) {
  for (const runtime::OptionInfo& info : runtime::option_table()) {
    const std::string notes =
        info.initial.empty() ? "" : fmt::format(" [{}, default {}]", info.allowed(), info.initial);
    add_item(page, runtime::variable(info.name), info.help + notes);
  }
}

}  // namespace weir::tool
