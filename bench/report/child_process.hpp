// SPDX-License-Identifier: Apache-2.0

// Runs a program to its end, or to the end of its time, and tells how it ended.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::bench {

// The standard output of `command` (a path and its arguments; no shell), which inherits the environment and reads
// nothing.
//
// Blocks; kills the program when it runs longer than `seconds`. Fails with io_error when it cannot be started, takes
// too long, dies of a signal or exits with a status other than 0; the message quotes its last line of standard error.
// One thread at a time.
base::Result<std::string> run_process(const std::vector<std::string>& command, double seconds);

// The same, with `input` written to its standard input.
base::Result<std::string> run_process(const std::vector<std::string>& command, const std::string& input,
                                      double seconds);

}  // namespace weir::bench
