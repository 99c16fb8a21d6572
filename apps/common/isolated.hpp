// SPDX-License-Identifier: Apache-2.0

// Runs a function in a process of its own: what it allocates, its peak and its threads are its alone.
//
// The calling process must have one thread only (it forks without exec). One caller at a time.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "apps/common/memory_cage.hpp"
#include "base/result.hpp"

namespace weir::apps {

struct Isolation {
  const MemoryCage* cage = nullptr;  // the process works in it
  double seconds = 600;              // after which it is killed
};

// What `work` returns. io_error when it throws (the message is the exception's), is killed, or takes too long.
base::Result<std::string> run_isolated(const std::function<std::string()>& work, const Isolation& isolation = {});

// The same for a program, with its arguments and without a shell: its standard output. A failure quotes its last line
// of standard error.
base::Result<std::string> run_isolated_program(const std::vector<std::string>& command,
                                               const Isolation& isolation = {});

// While it lives, `look` is called several times a second with the process that is run, by the thread that waits for
// it.
class WatchIsolated {
 public:
  explicit WatchIsolated(std::function<void(pid_t)> look);
  ~WatchIsolated();
  WatchIsolated(const WatchIsolated&) = delete;
  WatchIsolated& operator=(const WatchIsolated&) = delete;
};

// Peak resident bytes of the calling process so far; bytes it has read from and written to storage. 0 where the kernel
// does not tell.
std::uint64_t peak_resident_bytes();
std::uint64_t storage_bytes();

}  // namespace weir::apps
