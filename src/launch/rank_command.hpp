// SPDX-License-Identifier: Apache-2.0

// What the process of each rank of a job is started with. The launcher's thread only.
#pragma once

#include <cstdint>
#include <string>

#include "launch/job_spec.hpp"
#include "launch/rank_process.hpp"

namespace weir::launch {

// "4711-18a3f0": a name that no other job of this host has.
std::string name_of_new_job();

// But for what is to be done in the new process.
RankCommand command_of(const JobSpec& spec, std::uint32_t rank, const std::string& job);

}  // namespace weir::launch
