// SPDX-License-Identifier: Apache-2.0

#include "transport/open_transport.hpp"

#include "transport/shared/open_shared.hpp"

namespace weir::transport {

base::Result<std::unique_ptr<Transport>> open_transport(const launch::Job& job, const OpenOptions& options) {
  if (!job.is_on_one_host()) return open_between_hosts(job, options);
  return open_shared({.job = job.id,
                      .rank = job.rank,
                      .ranks = job.ranks,
                      .cores = job.host_cores,
                      .control = job.control,
                      .patience = options.patience});
}

}  // namespace weir::transport
