// SPDX-License-Identifier: Apache-2.0

// One line for every mistake on the command line, with what was probably meant.
#pragma once

#include <string>

#include "describe.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class ParseError;
}

namespace weir::tool {

// `chosen` is the innermost verb that was named before CLI11 gave up.
std::string explain(const CLI::ParseError& error, const CLI::App& chosen, const Global& global);

// For a verb that was given without one of those below it.
std::string missing_verb(const VerbText& verb);

}  // namespace weir::tool
