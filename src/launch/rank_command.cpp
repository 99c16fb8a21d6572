// SPDX-License-Identifier: Apache-2.0

#include "launch/rank_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

namespace weir::launch {

std::string name_of_new_job() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{:x}", getpid(), std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

RankCommand command_of(const JobSpec& spec, std::uint32_t rank, const std::string& job) {
  RankCommand command;
  command.words = spec.words;
  const std::string index = std::to_string(rank), ranks = std::to_string(spec.ranks);
  command.variables = {{"WEIR_RANK", index},
                       {"WEIR_RANKS", ranks},
                       {"WEIR_HOST_RANK", index},
                       {"WEIR_HOST_RANKS", ranks},
                       {"WEIR_JOB", job}};
  if (spec.host_cores > 0) command.variables.emplace_back("WEIR_HOST_CORES", std::to_string(spec.host_cores));
  if (spec.variables) {
    const auto more = spec.variables(rank);
    command.variables.insert(command.variables.end(), more.begin(), more.end());
  }
  if (!spec.shares.empty()) command.os_cpus = spec.shares[rank].os_cpus;
  command.reads_input = rank == 0;
  command.out_is_terminal = isatty(spec.out) != 0;
  command.error_is_terminal = isatty(spec.error) != 0;
  return command;
}

}  // namespace weir::launch
