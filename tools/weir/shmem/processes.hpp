// SPDX-License-Identifier: Apache-2.0

// Processes as /proc shows them: what started what, and the symmetric heaps that they have mapped.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace weir::tool {

// The process, and all that it has started, directly or not.
std::vector<pid_t> family_of(pid_t process);

// 'R', 'S', 'T' and so on, as proc(5) has it; 0: there is no such process, or it has ended.
char state_of(pid_t process);
inline bool is_stopped(pid_t process) { return state_of(process) == 'T' || state_of(process) == 't'; }

// A descriptor of the process for the memory of symmetric heaps.
struct HeapFile {
  std::string path;                            // by which it can be opened
  std::pair<unsigned long, unsigned long> id;  // the same for the same memory
};
// unsupported: this user may not look at it.
base::Result<std::vector<HeapFile>> heap_files_of(pid_t process);

}  // namespace weir::tool
