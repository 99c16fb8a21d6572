// SPDX-License-Identifier: Apache-2.0

// A trace as one file of JSON, for Perfetto, chrome://tracing and `weir report`.
//
// It grows as FILE.part while runtimes of the process write to it, and is put in place when none does. A program that
// is killed leaves the part: such a file can be opened and reported on, it only ends early.
#pragma once

#include <memory>
#include <string>

#include "trace/trace_file.hpp"

namespace weir::trace {

std::shared_ptr<TraceFile> open_chrome_file(const std::string& path);

}  // namespace weir::trace
