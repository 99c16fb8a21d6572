// SPDX-License-Identifier: Apache-2.0

// Launcher: runs a program as the ranks of a job on this host, from their start to the end of the last.
//
// One job at a time in a process, on a thread that is the only one (signals and children are the process's): for the
// command line. The first rank that fails is named, and the others are ended within two seconds.
#pragma once

#include "base/result.hpp"
#include "launch/job_spec.hpp"

namespace weir::launch {

struct JobEnd {
  int status = 0;            // of the first rank that failed, as a shell says it; of one that aborted the job
  int asked_by = 0;          // the signal by which a user has ended it; 0: none
  bool output_lost = false;  // standard output or error could not be written to
};

// Fails when the program cannot be run, the ranks cannot all be started, or the system gives no signals to wait for;
// none runs then.
base::Result<JobEnd> run_job(const JobSpec& spec);

}  // namespace weir::launch
