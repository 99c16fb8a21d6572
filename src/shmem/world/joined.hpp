// SPDX-License-Identifier: Apache-2.0

// Joined: what a PE says of itself in its environment, WEIR_JOINED=PROCESS:RANK:JOB, from its start to its end.
//
// A program that it starts inherits the variables by which the PE knows its job, and would wait in it for ever, as a PE
// that there is already. Another copy of the library in the same process (a plugin that was linked with its own) knows
// from it that it is the wrong one.
#pragma once

#include <sys/types.h>

#include <optional>

#include "launch/job.hpp"

namespace weir::shmem {

// Under the lock of start() and finish(): they change the environment.
void note_joined(const launch::Job& job) noexcept;
void note_left() noexcept;

// The other process that is this rank of this job, as `text`, a value of the variable, says. Pure.
std::optional<pid_t> joined_before(const char* text, const launch::Job& job, pid_t self);
// Of this process now; none when that process has ended.
std::optional<pid_t> joined_before(const launch::Job& job);

// Whether this process has joined by another copy of the library. For a copy that has not.
bool has_other_copy_joined() noexcept;

}  // namespace weir::shmem
