// SPDX-License-Identifier: Apache-2.0

// weir run PROGRAM: a program of the user's with the options of the runtime, progress, trace and report.
#pragma once

#include "verb.hpp"

namespace weir::tool {

// Makes `run`, which holds other verbs, one that takes a program, too.
void add_program(CLI::App& run, Global& global);

}  // namespace weir::tool
