// SPDX-License-Identifier: Apache-2.0

#include "trace/job_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace weir::trace {

namespace {

// How a starter calls the numbers, and what tells one run from another. In the order in which launch/job.cpp looks.
struct Names {
  const char *rank, *ranks, *job;
};
constexpr Names kNames[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"},
                            {"PMI_RANK", "PMI_SIZE", nullptr},
                            {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"},
                            {"WEIR_RANK", "WEIR_RANKS", "WEIR_JOB"}};

std::optional<std::uint32_t> number(const std::optional<std::string>& text) {
  std::uint32_t value = 0;
  if (!text) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Settings JobProcess::settings() const {
  return {{"rank", std::to_string(rank)},
          {"ranks", std::to_string(ranks)},
          {"host", host_name()},
          {"job", job},
          {"clock_offset_ns", std::to_string(clock_offset_ns)}};
}

std::optional<JobProcess> job_process(const std::function<std::optional<std::string>(const char* name)>& variable) {
  for (const Names& names : kNames) {
    const auto rank = number(variable(names.rank)), ranks = number(variable(names.ranks));
    if (!rank || !ranks) continue;
    if (*rank >= *ranks || *ranks == 1) return std::nullopt;
    // Without a name, the process that has started those of this host.
    std::string job = names.job == nullptr ? "" : variable(names.job).value_or("");
    if (job.empty()) job = fmt::format("of {}", getppid());
    return JobProcess{*rank, *ranks, std::move(job), 0};
  }
  return std::nullopt;
}

std::optional<JobProcess> job_process() {
  return job_process([](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

std::string file_of_rank(const std::string& file, std::uint32_t rank) {
  const std::filesystem::path path(file);
  const std::string number = fmt::format(".{}", rank);
  if (path.stem().extension() == number) return file;
  return (path.parent_path() / (path.stem().string() + number + path.extension().string())).string();
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace weir::trace
