// What was found, in words and as JSON.
#pragma once

#include <string>

#include "check/symbols.hpp"
#include "global.hpp"

namespace weir::tool::check {

std::string render(const weir::check::Finding& finding, Symbols& symbols);
Json to_json(const weir::check::Finding& finding, Symbols& symbols);

}  // namespace weir::tool::check
