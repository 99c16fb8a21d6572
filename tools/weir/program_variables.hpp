// SPDX-License-Identifier: Apache-2.0

// What the command line says of the runtimes in a program that weir runs, as variables of the program's environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "global.hpp"

namespace weir::tool {

// Names of files and folders, those of our own environment among them, are absolute: the program may go to another
// folder before it makes a runtime. Without the trace, of which each process has its own. WEIR_LIBEXEC says where this
// installation has its parts, unless it is set.
std::vector<std::pair<std::string, std::string>> program_variables(const Global& global);

}  // namespace weir::tool
