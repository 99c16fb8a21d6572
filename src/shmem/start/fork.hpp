// SPDX-License-Identifier: Apache-2.0

// Children made by fork(): they get static data of their own, as in any program, not the PE's.
#pragma once

#include <vector>

#include "shmem/start/data_ranges.hpp"

namespace weir::shmem {

// Static data in a file of memory that other PEs map.
struct SharedRange {
  DataRange range;
  std::uint64_t offset = 0;  // in the file
  bool is_shared = false;    // it lies in the file already
};
struct SharedData {
  int descriptor = -1;  // of the file; kept open
  std::vector<SharedRange> ranges;
};

// From now on fork() returns in the parent when the child has its copy, so that the child sees what the data were when
// it was made. vfork(), posix_spawn(), system() and popen() need nothing; a bare clone() gets no copy. The symmetric
// heap stays shared. `data` is not changed or destroyed any more but between two calls.
void keep_private_in_children(const SharedData& data);

// Whether this process is a child that was forked by a PE: it must not end the PE's part in the job.
bool is_forked_child() noexcept;

}  // namespace weir::shmem
