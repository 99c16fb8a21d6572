// SPDX-License-Identifier: Apache-2.0

// JobProcess: which process of a job a trace is of: what its file is called, and what the file says of it.
//
// A program that uses a runtime in each process of `weir run -n`, of an mpirun or of srun, without a layer that knows
// of ranks, has its processes told apart by the variables that these set (launch/job.hpp reads more of them, and says
// where they are wrong). Values; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trace/recording.hpp"

namespace weir::trace {

struct JobProcess {
  std::uint32_t rank = 0, ranks = 1;
  std::string job;                   // the same in all files of one run
  std::int64_t clock_offset_ns = 0;  // to be added to its clock to get that of rank 0

  Settings settings() const;
};

// None: it is not one of several processes, or nothing that can be read says so.
std::optional<JobProcess> job_process();
// The same with other variables than those of this process; none: it is not set.
std::optional<JobProcess> job_process(const std::function<std::optional<std::string>(const char* name)>& variable);

// "out/t.weir" of rank 2 is "out/t.2.weir"; one that has the number already stays.
std::string file_of_rank(const std::string& file, std::uint32_t rank);

// Of this machine.
std::string host_name();

}  // namespace weir::trace
