// SPDX-License-Identifier: Apache-2.0

// What a launcher asks of the system while it runs a job, and gives back after it. One at a time in a process.
#pragma once

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdint>

#include "base/result.hpp"

namespace weir::launch {

// As many descriptors as may be had: each rank needs a few. Programs get the limit that was there before.
class ManyDescriptors {
 public:
  ManyDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit all{before_.rlim_max, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &all);
  }
  ~ManyDescriptors() { restore(); }
  ManyDescriptors(const ManyDescriptors&) = delete;
  ManyDescriptors& operator=(const ManyDescriptors&) = delete;
  // no_space: so many ranks need more than may be had.
  base::Status enough_for(std::uint32_t ranks) const;
  // Async-signal-safe.
  void restore() const noexcept { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  static constexpr rlim_t kOfARank = 3, kOthers = 24;  // while ranks start, and of the process

  rlimit before_{};
};

// What ranks leave behind becomes a child of this process, so that it can be ended with them.
class Inheriting {
 public:
  Inheriting() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Inheriting() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Inheriting(const Inheriting&) = delete;
  Inheriting& operator=(const Inheriting&) = delete;
};

}  // namespace weir::launch
