// A trace that is needed only for its report: a temporary file, and a program that is run to write it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "pending_file.hpp"

namespace weir::tool {

// A file in the folder for such, to whose path() a trace is written; it goes when what is returned does, or a signal
// ends the process.
base::Result<PendingFile> temporary_trace();

// Runs a program (found as a shell does) with WEIR_TRACE=`trace`, and waits for its end; `quiet`: what it prints goes
// to standard error. Its exit status, 128 and more after a signal; not_found when it cannot be run.
base::Result<int> run_traced(const std::vector<std::string>& program, const std::string& trace, bool quiet);

}  // namespace weir::tool
