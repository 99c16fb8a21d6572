// SPDX-License-Identifier: Apache-2.0

// open_joined: the backend for ranks on several hosts, over an MPI.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "launch/job.hpp"
#include "transport/open_transport.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

// Collective; as open_transport(). `neighbours`: ranks of one host map one another's memory; without, all of them go
// over MPI.
base::Result<std::unique_ptr<Transport>> open_joined(const launch::Job& job, const OpenOptions& options,
                                                     bool neighbours);

}  // namespace weir::transport
