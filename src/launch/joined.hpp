// SPDX-License-Identifier: Apache-2.0

// Joined: what a process of a job says of itself in its environment from its start to its end: PROCESS:RANK:JOB, as
// WEIR_JOINED where it is a PE of an OpenSHMEM program, else as WEIR_JOINED_RANK.
//
// A program that it starts inherits the variables by which the process knows its job, and would wait in it for ever, as
// a rank that there is already. Another copy of the SHMEM library in the same process (a plugin that was linked with
// its own) knows from it that it is the wrong one.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/result.hpp"
#include "launch/job.hpp"

namespace weir::launch {

// Of a PE, under the lock of start() and finish(): they change the environment.
void note_joined(const Job& job) noexcept;
void note_left() noexcept;
// While there is one this process says that it is a rank, unless it was started bare. No other thread reads the
// environment while the first is made, or the last goes.
class JoinedRank {
 public:
  explicit JoinedRank(const Job& job) noexcept;
  ~JoinedRank();
  JoinedRank(const JoinedRank&) = delete;
  JoinedRank& operator=(const JoinedRank&) = delete;

 private:
  const bool is_bare_;
};

// The other process that is this rank of this job, as `text`, a value of a variable, says. Pure.
std::optional<pid_t> joined_before(const char* text, const Job& job, pid_t self);
// Of this process now; none when that process has ended.
std::optional<pid_t> joined_before(const Job& job);
// A failure where there is one, of a job of several ranks.
base::Status check_none_joined(const Job& job);

// Whether this process has joined by another copy of the library. For a copy that has not.
bool has_other_copy_joined() noexcept;

}  // namespace weir::launch
