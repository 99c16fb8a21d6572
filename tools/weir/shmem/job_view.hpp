// SPDX-License-Identifier: Apache-2.0

// JobView: the PEs of SHMEM jobs on this host as their StatusPages show them, read from outside through /proc. Nothing
// is asked of the PEs: they may hang, or be stopped. Plain data.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "shmem/status/status_page.hpp"

namespace weir::tool {

enum class Life : std::uint8_t { runs, sleeps, stopped, ended };

// One thread of a PE in a wait that has got long.
struct WaitView {
  std::uint32_t thread = 0;
  std::string routine;  // "" when it is not known
  double seconds = 0;
  std::uint32_t kind = 0;  // Awaited::Kind
  int pe = -1;
  std::string object;  // of a word: "heap+0x40"
  int comparison = 0;
  std::uint32_t words = 0;
  std::string wanted, value;    // as numbers; "" when they are not known
  std::vector<int> members;     // of its group, as far as they are on this host
  std::uint32_t elsewhere = 0;  // members on other hosts, or beyond the most that are shown
  std::vector<int> missing;     // members on this host that have not come to the step it waits for
};

struct PeView {
  int pe = 0;
  pid_t process = 0;
  shmem::Phase phase = shmem::Phase::none;  // none: it has not come so far
  double phase_seconds = 0;
  Life life = Life::ended;
  std::vector<WaitView> waits;

  bool is_lost() const noexcept { return life == Life::ended && phase != shmem::Phase::left; }
};

struct JobView {
  int n_pes = 0;
  std::vector<PeView> pes;  // of this host, in rising order
  bool has(pid_t process) const noexcept;
};

// The job of which this process is a PE; or of all jobs whose PEs are among the processes that it has started, directly
// or not. None: there is no such job. Fails for a job of another version of libweir-shmem, and where it may not be
// looked at.
base::Result<std::vector<JobView>> jobs_of(pid_t process);

}  // namespace weir::tool
