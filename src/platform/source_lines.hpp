// SPDX-License-Identifier: Apache-2.0

// From addresses of code to functions and lines of source, as the debug information of the program has them.
//
// Asks addr2line (binutils), run once for each library or program that the addresses lie in: for messages, which are
// rare. Any thread; starts processes and allocates, so not in a signal handler.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace weir::platform {

struct SourceLine {
  std::string function;  // "" when not even that is known
  std::string file;      // "" without debug information
  int line = 0;          // 0: not known
  std::string module;    // path of the program or library; "" for what is no code
  std::size_t offset = 0;

  // "file:line (function)", or what there is of it.
  std::string text() const;
};

// One for each address, which is one that a call returns to. Of functions that were inlined there the innermost counts
// whose file is not one of Weir's public headers.
std::vector<SourceLine> find_source(std::span<const void* const> addresses);

}  // namespace weir::platform
