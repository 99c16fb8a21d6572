// SPDX-License-Identifier: Apache-2.0

// open_transport: the backend that reaches all ranks of a job, chosen once, at start-up.
//
// A program started bare and a job on one host get `shared`; a job on several hosts, or one whose starter does not say
// who is on which, get what joins neighbours with others by MPI (joined/open_joined.hpp). WEIR_TRANSPORT says
// otherwise: shared, joined (ranks of several hosts, though all may be on one), mpi (all ranks over MPI, as if each had
// a host of its own).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "launch/job.hpp"
#include "transport/open_options.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

// Collective. lost when a rank does not come or ends meanwhile, bad_option when ranks contradict one another,
// unsupported when the job needs a backend that this build has not; the message names the rank.
base::Result<std::unique_ptr<Transport>> open_transport(const launch::Job& job, const OpenOptions& options = {});

}  // namespace weir::transport
