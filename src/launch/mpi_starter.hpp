// SPDX-License-Identifier: Apache-2.0

// The mpirun that is found: it starts the ranks of a job on several hosts. Nothing of MPI is rebuilt here. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "launch/binding.hpp"
#include "launch/host_file.hpp"

namespace weir::launch {

enum class MpiKind : std::uint8_t { open_mpi, mpich };

struct MpiStarter {
  std::string program;
  MpiKind kind = MpiKind::open_mpi;
};

// Of what it prints when it is asked for its version; not_found when it is neither.
base::Result<MpiKind> kind_of(std::string_view version, const std::string& program);

// That of the variable WEIR_MPIRUN, or the first of mpirun and mpiexec that there is. not_found: there is none, or it
// is of no known kind.
base::Result<MpiStarter> find_mpi_starter();

struct MpiJob {
  std::vector<std::string> words;  // the program and its arguments
  std::uint32_t ranks = 1;
  std::string host_file;  // with host_lines() in it
  bool label = false;
  std::optional<BindRanks> bind = {};    // none: as the starter does it
  std::vector<std::string> passed = {};  // names of variables of ours that all ranks get
};

// The text of the host file that this kind reads.
std::string host_lines(MpiKind kind, std::span<const Host> hosts, std::uint32_t ranks);
// The command line of the starter.
std::vector<std::string> command_of(const MpiStarter& starter, const MpiJob& job);

// Of the names of variables those that ranks on other hosts need: of Weir and of OpenSHMEM, and where libraries are.
bool is_passed_on(std::string_view variable);

}  // namespace weir::launch
