// SPDX-License-Identifier: Apache-2.0

// A picture for gnuplot that is not drawn yet: what --plot of a verb draws, apart from the file and its kind.
#pragma once

#include <string>

namespace weir::base {

struct Drawing {
  int width = 0, height = 0;  // pixels
  std::string script;         // sets no terminal and no output; empty: there is nothing to draw
};

}  // namespace weir::base
