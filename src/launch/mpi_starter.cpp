// SPDX-License-Identifier: Apache-2.0

#include "launch/mpi_starter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/one_line.hpp"
#include "launch/rank_process.hpp"
#include "platform/companion.hpp"
#include "platform/process.hpp"

namespace weir::launch {

namespace {

using base::Code;
using base::Status;

constexpr double kPatience = 20;  // seconds, to tell its version

base::Result<std::string> program_of_starter() {
  if (const char* const asked = std::getenv("WEIR_MPIRUN"); asked != nullptr && *asked != '\0')
    return std::string(asked);
  for (const char* name : {"mpirun", "mpiexec"}) {
    if (std::string file = platform::found_on_path(name); !file.empty()) return file;
  }
  return Status{
      Code::not_found,
      "ranks on several hosts are started by the mpirun of an MPI, and there is neither mpirun nor mpiexec on "
      "PATH: install Open MPI or MPICH, or name it in WEIR_MPIRUN"};
}

const char* word_of(BindRanks bind) {
  switch (bind) {
    case BindRanks::cores: return "core";
    case BindRanks::domains: return "numa";
    case BindRanks::none: break;
  }
  return "none";
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

base::Result<MpiKind> kind_of(std::string_view version, const std::string& program) {
  for (const char* name : {"Open MPI", "OpenRTE", "PRTE", "PRRTE"}) {
    if (has(version, name)) return MpiKind::open_mpi;
  }
  for (const char* name : {"HYDRA", "MPICH", "Intel(R) MPI"}) {
    if (has(version, name)) return MpiKind::mpich;
  }
  const std::string_view said = version.substr(0, version.find('\n'));
  return Status{
      Code::not_found,
      fmt::format("{} is of neither Open MPI nor MPICH: its --version says \"{}\"; name another in WEIR_MPIRUN",
                  program, base::one_line(said))};
}

base::Result<MpiStarter> find_mpi_starter() {
  auto program = program_of_starter();
  if (!program) return program.status();
  const auto version = platform::output_of({*program, "--version"}, kPatience);
  if (!version)
    return Status{Code::not_found, version.status().message + ": no mpirun to start ranks on several hosts"};
  auto kind = kind_of(*version, *program);
  if (!kind) return kind.status();
  return MpiStarter{*std::move(program), *kind};
}

std::string host_lines(MpiKind kind, std::span<const Host> hosts, std::uint32_t ranks) {
  const std::vector<std::uint32_t> counts = ranks_of(hosts, ranks);
  std::string text;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += kind == MpiKind::open_mpi ? fmt::format("{} slots={}\n", hosts[i].name, counts[i])
                                      : fmt::format("{}:{}\n", hosts[i].name, counts[i]);
  }
  return text;
}

std::vector<std::string> command_of(const MpiStarter& starter, const MpiJob& job) {
  const std::string ranks = std::to_string(job.ranks);
  std::vector<std::string> words;
  if (starter.kind == MpiKind::open_mpi) {
    words = {starter.program, "--hostfile", job.host_file, "-n", ranks, "--map-by", "slot:OVERSUBSCRIBE"};
    if (job.label) words.push_back("--tag-output");
    if (job.bind) words.insert(words.end(), {"--bind-to", word_of(*job.bind)});
    for (const std::string& name : job.passed) words.insert(words.end(), {"-x", name});
  } else {  // passes all variables on by itself
    words = {starter.program, "-f", job.host_file, "-n", ranks};
    if (job.label) words.push_back("-prepend-rank");
    if (job.bind) words.insert(words.end(), {"-bind-to", word_of(*job.bind)});
  }
  words.insert(words.end(), job.words.begin(), job.words.end());
  return words;
}

bool is_passed_on(std::string_view variable) {
  if (variable == "LD_LIBRARY_PATH") return true;
  for (const std::string& name : variables_of_starters()) {
    if (variable == name) return false;
  }
  return variable.starts_with("WEIR_") || variable.starts_with("SHMEM_") || variable.starts_with("SMA_");
}

}  // namespace weir::launch
