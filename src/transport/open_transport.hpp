// SPDX-License-Identifier: Apache-2.0

// open_transport: the backend that reaches all ranks of a job, chosen once, at start-up.
//
// A program started bare and a job on one host get `shared`; a job on several hosts, or one whose starter does not say
// who is on which, is given to open_between_hosts(), which needs MPI. WEIR_TRANSPORT says otherwise: shared, joined
// (ranks of several hosts, though all may be on one), mpi (all ranks over MPI, as if each had a host of its own).
#pragma once

#include <chrono>
#include <memory>

#include "base/result.hpp"
#include "launch/job.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

struct OpenOptions {
  std::chrono::milliseconds patience{60'000};  // how long ranks wait for one another to start
  bool threads = true;  // several threads of the program call the transport and its channels at the same time
};

// Collective. lost when a rank does not come or ends meanwhile, bad_option when ranks contradict one another,
// unsupported when the job needs a backend that this build has not; the message names the rank.
base::Result<std::unique_ptr<Transport>> open_transport(const launch::Job& job, const OpenOptions& options = {});

// between_hosts.cpp: the backend for jobs whose ranks are not all on this host.
base::Result<std::unique_ptr<Transport>> open_between_hosts(const launch::Job& job, const OpenOptions& options);

}  // namespace weir::transport
