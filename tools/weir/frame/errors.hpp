// SPDX-License-Identifier: Apache-2.0

// One line for every mistake on the command line, with what was probably meant.
#pragma once

#include <string>
#include <string_view>

#include "describe.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class ParseError;
}

namespace weir::tool {

// What a check of a value says, behind it, of one that is no decimal number.
inline constexpr std::string_view kNotDecimal = ": a decimal number is needed";

// `chosen` is the innermost verb that was named before CLI11 gave up.
std::string explain(const CLI::ParseError& error, const CLI::App& chosen, const Global& global);

// The option or argument that was given an empty value, which CLI11 has accepted; "": none.
std::string empty_value(const VerbText& verb);

// For a verb's name that is not there, below `verb`.
std::string unknown_verb(const std::string& word, const VerbText& verb);

// For a verb that was given without one of those below it.
std::string missing_verb(const VerbText& verb);

}  // namespace weir::tool
