// SPDX-License-Identifier: Apache-2.0

// The runs of a program that `weir advise` makes: one that is traced and looked at, and those of the settings that it
// tries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/render.hpp"
#include "advise/setting.hpp"
#include "base/result.hpp"
#include "child.hpp"
#include "global.hpp"
#include "kept_input.hpp"

namespace weir::tool {

// The variables by which a runtime of the program gets the options of the command line, and then these.
Child::Variables variables_of(const advise::Setting& setting, const Global& global);

// What is run: the same words, and the same input, each time.
struct Subject {
  std::vector<std::string> words;
  KeptInput input;
};

// A run to the end of a program.
struct LookedAt {
  ChildEnd end;
  std::uint64_t peak_bytes = 0;  // the most that was in memory
  int threads = 1;               // the most there were, as often as was looked
};

// not_found when it cannot be run; io_error, with its exit status, when it has failed, or when the user has asked for
// an end: then global.ended_by says so. no_space: no process, no thread, or too much input to keep.
base::Result<LookedAt> look_at(Subject& program, const Child::Variables& variables, ChildOutput output, Global& global);

// Each trial `rounds` times, in turns, so that what else the machine does meets all of them. A trial that fails says
// why, and is left out from then on. None after one in which the user has asked for an end, of which global.ended_by
// tells.
void run_trials(std::vector<advise::Trial>& trials, Subject& program, int rounds, bool traced, Global& global);

}  // namespace weir::tool
