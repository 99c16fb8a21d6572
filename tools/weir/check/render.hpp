// SPDX-License-Identifier: Apache-2.0

// What was found, in words and as JSON.
#pragma once

#include <string>

#include "check/symbols.hpp"
#include "global.hpp"

namespace weir::tool::check {

std::string render(const weir::checker::Finding& finding, Symbols& symbols);
Json to_json(const weir::checker::Finding& finding, Symbols& symbols);

// The same for findings that are one mistake to a person: by what kind of task, in which line, on memory of which name.
// The instructions of a line, or of a library's function without lines, are many.
std::string identity(const weir::checker::Finding& finding, Symbols& symbols);

}  // namespace weir::tool::check
