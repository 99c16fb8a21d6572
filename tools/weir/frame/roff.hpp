// SPDX-License-Identifier: Apache-2.0

// The parts of manual pages, in man(7) macros. Pure.
#pragma once

#include <string>
#include <string_view>

namespace weir::tool {

// Text as roff reads it: '-' stays a minus sign, and no line is taken for a request.
std::string roff(std::string_view text);

// One paragraph. Long lines are cut at spaces: a line of roff source is best kept below 80 columns.
void add_line(std::string& page, std::string_view text);
// Paragraphs as text.hpp tells them apart.
void add_prose(std::string& page, std::string_view text);
// A title in bold, and what it means.
void add_item(std::string& page, std::string_view title, std::string_view text);
// The WEIR_* variable of each option of the runtime.
void add_variables(std::string& page);

}  // namespace weir::tool
