// SPDX-License-Identifier: Apache-2.0

// Job: which process of how many this one is, as whoever has started it says by variables of the environment.
//
// weir run -n, Open MPI's and MPICH's mpirun, srun and anything else that speaks PMI-2 or PMIx; a program started bare
// is one rank of one. Read once, at start-up; a value afterwards. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::launch {

enum class Starter : std::uint8_t {
  bare,
  weir,
  open_mpi,  // and what else speaks PMIx
  mpich,     // and what else speaks PMI
  slurm
};
const char* to_string(Starter starter) noexcept;

struct Job {
  Starter starter = Starter::bare;
  Rank rank{};
  std::uint32_t ranks = 1;  // 0 where the starter does not say it (PMIx alone): then only MPI knows
  // Among the processes of this host; host_ranks is 0 where the starter does not say it (then only MPI knows).
  std::uint32_t host_rank = 0, host_ranks = 1;
  // Cores that the processes of this host have together, a cgroup's quota counted; 0 where the starter does not say it.
  std::uint32_t host_cores = 0;
  std::string id;  // the same on all processes of the job on this host, unlike that of any other job; empty: bare
  int control =
      -1;  // weir run's end of a socket, to which a rank says that it leaves or aborts (control.hpp); -1: none

  // Whether an MPI's launcher or Slurm has started it, whose ranks are children of processes that wait for them.
  bool is_of_mpi() const noexcept {
    return starter == Starter::open_mpi || starter == Starter::mpich || starter == Starter::slurm;
  }
  bool is_on_one_host() const noexcept { return ranks != 0 && host_ranks == ranks; }
};

// bad_option when the variables contradict themselves: names them and their values.
base::Result<Job> job_from_environment();

// The same with other variables than those of this process; none: it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;
base::Result<Job> job_from(const Variables& variables);

}  // namespace weir::launch
