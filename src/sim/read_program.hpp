// SPDX-License-Identifier: Apache-2.0

// From the records of a trace to a Program: the time of each task's own code, cut where it spawns and waits.
//
// A track's intervals nest; what lies in between them is the code of the innermost. Memory: the runtime's events and
// the program made of them. One thread.
#pragma once

#include "base/result.hpp"
#include "sim/program.hpp"
#include "trace/reader.hpp"

namespace weir::sim {

// bad_input, naming the file: a run that has not ended, lost events, a run on islands, or halves of fork_join(), of
// which a trace does not say whose they are; io_error.
base::Result<Program> read_program(const trace::TraceReader& reader, const trace::RuntimeInfo& runtime);

}  // namespace weir::sim
