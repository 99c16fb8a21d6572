// SPDX-License-Identifier: Apache-2.0

// A trace as an archive of the Open Trace Format 2, for Vampir, Scalasca and the like: a folder.
//
// A location for each track; regions for tasks by name and for what else workers do; moves between tiers as
// non-blocking I/O operations on a handle for each link; metrics for bytes moved, residency, evictions, tasks stolen
// and tasks that wait for data; records of where each task was made, begun and done. The format has none for edges: the
// entry into a task has the numbers of those it comes after as attributes. Every runtime of a process has an
// archive of its own: run.otf2, run-2.otf2. An archive is put in place when it is whole.
//
// Two sources define open_otf2_file(): otf2_file.cpp where the library was found at build, missing.cpp where not.
#pragma once

#include <memory>
#include <string>

#include "trace/trace_file.hpp"

namespace weir::trace {

// `path` ends in .otf2. io_error when it cannot be written, or is something else than an archive; unsupported without
// the library.
base::Result<std::shared_ptr<TraceFile>> open_otf2_file(const std::string& path);

}  // namespace weir::trace
