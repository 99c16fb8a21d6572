// SPDX-License-Identifier: Apache-2.0

// Processes as /proc shows them: what started what, and the symmetric heaps that they have mapped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/job_process.hpp"

namespace weir::tool {

// The process, and all that it has started, directly or not.
std::vector<pid_t> family_of(pid_t process);

// 'R', 'S', 'T' and so on, as proc(5) has it; 0: there is no such process, or it has ended.
char state_of(pid_t process);
inline bool is_stopped(pid_t process) { return state_of(process) == 'T' || state_of(process) == 't'; }

// Which rank of a job a process is, by the variables that it was started with; none: it is none, or is not this user's.
std::optional<trace::JobProcess> rank_of(pid_t process);
// The ranks on this host of the job that the process is of, or of each of those that it has started, with their
// processes, by rank; a process that a rank has started itself may be among them.
struct RankProcess {
  std::uint32_t rank = 0, ranks = 0;
  pid_t process = 0;
};
struct RankJob {
  std::string name;
  std::vector<RankProcess> ranks;
};
std::vector<RankJob> rank_jobs_of(pid_t process);

// A descriptor of the process for the memory of symmetric heaps.
struct HeapFile {
  std::string path;                            // by which it can be opened
  std::pair<unsigned long, unsigned long> id;  // the same for the same memory
};
// unsupported: this user may not look at it.
base::Result<std::vector<HeapFile>> heap_files_of(pid_t process);

}  // namespace weir::tool
