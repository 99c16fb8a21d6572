// SPDX-License-Identifier: Apache-2.0

// What `weir advise` is asked, and how it goes about it: runs the program, or reads its trace, has settings predicted
// (advise/), tries them, and shows what it has found.
#pragma once

#include <string>

#include "global.hpp"
#include "machine_options.hpp"

namespace weir::tool {

struct AdviseSettings {
  std::string program, trace;
  MachineOptions machine;
  bool trial = false;
  int rounds = 3, most = 8;
};

// The exit status. Says what failed.
int advise_on(const AdviseSettings& settings, Global& global);

}  // namespace weir::tool
