// SPDX-License-Identifier: Apache-2.0

// The traces of a job as one file of JSON for Perfetto: a process for each PE or rank, and one for each further runtime
// of it; arrows from puts to the waits that they ended, from tasks that have sent something to those that needed it.
#pragma once

#include <span>
#include <string>

#include "job_files.hpp"

namespace weir::tool::job {

// `starts`: as open_starts() gives them; a process for each PE of each. In place of what was there. io_error; bad_input
// when a trace is damaged meanwhile.
base::Status write_job_json(std::span<const JobFiles> starts, const std::string& to);

}  // namespace weir::tool::job
