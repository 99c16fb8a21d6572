// SPDX-License-Identifier: Apache-2.0

// What `weir advise` prints and adds to its JSON array. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide.hpp"
#include "facts.hpp"
#include "global.hpp"
#include "memory_rows.hpp"
#include "modes.hpp"

namespace weir::tool::advise {

// A setting that was run on this machine, and how long it took.
struct Trial {
  Setting setting;
  std::string memory;           // of `weir run --memory`, for a program that is not Weir's; "": not placed
  std::vector<double> seconds;  // a run each
  std::string failure;          // not empty: it does not run so
  double median() const;
};

struct Finding {
  MachineFacts machine;
  ProgramFacts program;  // tasks 0 and no bytes: none was given
  std::vector<ModeRow> modes;
  std::optional<Advice> advice;   // of a traced program
  double agreement = 0;           // of the traced run with its own simulation; 0: traced elsewhere, or no trace
  std::vector<MemoryRow> memory;  // of a program without a trace; may be empty
  std::vector<Trial> trials;      // in the order in which they are advised
  std::string command;            // what is advised to be run, as typed; "": a word about the machine only
  std::vector<std::string> notes;
};

void show(const Finding& finding, Global& global);

// The index of the trial with the least median; trials that failed count for nothing. None: all failed.
std::optional<std::size_t> winner_of(const std::vector<Trial>& trials);

}  // namespace weir::tool::advise
