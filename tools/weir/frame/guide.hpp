// SPDX-License-Identifier: Apache-2.0

// What a verb says about itself, apart from its options: the source of help, manual and completion.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::tool {

struct Global;

struct Example {
  std::string command;  // one line that can be pasted
  std::string effect;   // what it does, a few words
};

struct Guide {
  std::string name;
  std::string purpose;  // one line, no capital at its start, no full stop
  std::string text;     // paragraphs between empty lines, wrapped when shown; lines that start with two spaces are
                        // kept as they are (at most 72 columns)
  std::vector<Example> examples;
};

using Run = std::function<int(Global&)>;  // returns the exit status

struct Entry {
  Guide guide;
  Run run;                     // empty for a verb that only holds others
  bool hidden = false;         // from the help and the completion
  bool reads_options = true;   // false: runs whatever the WEIR_* variables are
  bool takes_program = false;  // its argument is a program, and all that follows the arguments of that
};

}  // namespace weir::tool
