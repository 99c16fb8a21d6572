// SPDX-License-Identifier: Apache-2.0

// A Situation with its Findings as text for people, or as JSON. Runs addr2line for the places that it names: not in a
// signal handler.
#pragma once

#include <string>

#include "explain/situation.hpp"

namespace weir::explain {

// Lines that start with "weir: explain: ", or with two blanks. `most`: tasks that are told one by one.
std::string to_text(const Situation& situation, std::size_t most = 20);
// One JSON object. docs/explaining.md says what is in it.
std::string to_json(const Situation& situation, std::size_t most = 1000);

}  // namespace weir::explain
