// SPDX-License-Identifier: Apache-2.0

// The help screens, wrapped to the terminal.
#pragma once

#include <string>

#include "describe.hpp"

namespace weir::tool {

// Names the program `weir`, with --help and --version, and gives it its guide.
void describe_program(CLI::App& app, Global& global);

// `weir help [VERB...]`.
void add_help(CLI::App& app, Global& global);

// The help of a verb, or of the program.
std::string help_text(const VerbText& verb, int columns);

// Said in the help and in the manual alike.
extern const char* const kExitStatus;  // paragraphs, as in Guide::text
extern const char* const kEnvironment;

}  // namespace weir::tool
