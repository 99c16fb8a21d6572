// SPDX-License-Identifier: Apache-2.0

// The words of the command line in the order in which CLI11 reads them.
//
// Options may stand anywhere before a program: weir --json run --trace t.json seismic. They come behind the innermost
// verb here, in their order, for it is the one that has them. What follows a program is the program's.
#pragma once

#include <string>
#include <vector>

#include "describe.hpp"

namespace weir::tool {

struct Arguments {
  std::vector<std::string> ours;  // without the name of the program
  std::vector<std::string> rest;  // behind a program
  std::string empty;  // an option without the value that it announces, "--html="; CLI11 would take the next word
};

Arguments arrange(int argc, const char* const* argv, const CLI::App& app, const Global& global);

}  // namespace weir::tool
