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
  // What CLI11 would not tell: of "--html=", for which it takes the next word, and of lists with nothing before,
  // between or behind their commas, which it passes over. "": none.
  std::string mistake;
};

Arguments arrange(int argc, const char* const* argv, const CLI::App& app, const Global& global);

}  // namespace weir::tool
