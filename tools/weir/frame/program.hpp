// SPDX-License-Identifier: Apache-2.0

// The program around the verbs: reads the command line, runs one verb, prints its JSON array, and turns every failure
// into one line on standard error.
#pragma once

#include <span>

#include "verb.hpp"

namespace weir::tool {

using AddVerb = void (*)(CLI::App& app, Global& global);

// What main() returns. The verbs `completion`, `help` and (hidden) `manual` are added to `verbs`.
int run_program(int argc, const char* const* argv, std::span<const AddVerb> verbs);

}  // namespace weir::tool
