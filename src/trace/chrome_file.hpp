// A trace as one file of JSON, for Perfetto, chrome://tracing and `weir report`.
//
// The parts of the runtimes are kept in a file without a name, and the whole is put in place after each, so that no
// reader ever sees half a file and Ctrl-C leaves what was there before.
#pragma once

#include <memory>
#include <string>

#include "trace/trace_file.hpp"

namespace weir::trace {

// io_error when it cannot be written.
base::Result<std::shared_ptr<TraceFile>> open_chrome_file(const std::string& path);

}  // namespace weir::trace
