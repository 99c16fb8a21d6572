// SPDX-License-Identifier: Apache-2.0

// The plugin for the MPI that a job is to use: found, loaded, and never unloaded.
//
// WEIR_MPI says which (openmpi, mpich, or the path of a plugin); else the MPI that the program is linked with, else
// that of what has started the job. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launch/job.hpp"
#include "transport/mpi/calls.h"

namespace weir::transport::mpi {

// not_found: which was wanted, where it was looked for and what to install; bad_option: WEIR_MPI, or a job that does
// not tell which MPI it is for.
base::Result<const WeirMpiCalls*> load(const launch::Job& job);

// The plugins that are found in Weir's folders, none of them loaded.
struct Plugin {
  std::string mpi;  // "openmpi", "mpich"
  std::string file;
};
std::vector<Plugin> plugins();

// Where a plugin may be, the likeliest first: for tests.
struct Origins {
  std::filesystem::path library, program;  // the files that have this code, and the program's
  std::string libexec;                     // WEIR_LIBEXEC, of who has started the program; empty: not set
};
std::vector<std::filesystem::path> places(const Origins& origins, const std::string& file);

// What load() goes by: for tests.
struct Hints {
  std::string wanted;  // WEIR_MPI; empty: not set
  std::string linked;  // "openmpi", "mpich": what the program has loaded; empty: none
  launch::Starter starter = launch::Starter::bare;
  bool speaks_pmix = false, speaks_pmi = false;  // what Slurm offers
};
base::Result<std::string> choose(const Hints& hints);

}  // namespace weir::transport::mpi
