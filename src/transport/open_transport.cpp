// SPDX-License-Identifier: Apache-2.0

#include "transport/open_transport.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/one_line.hpp"
#include "transport/joined/open_joined.hpp"
#include "transport/shared/open_shared.hpp"

namespace weir::transport {
namespace {

// weir run and the launchers of MPIs and Slurm end a job of which a rank is lost; ranks may come as late as they like.
OpenOptions without_hurry(const launch::Job& job, OpenOptions options) {
  if (job.control >= 0 || job.is_of_mpi()) options.patience = std::chrono::milliseconds::max();
  return options;
}

base::Result<std::unique_ptr<Transport>> open_on_host(const launch::Job& job, const OpenOptions& options) {
  return open_shared({.job = job.id,
                      .rank = job.rank,
                      .ranks = job.ranks,
                      .cores = job.host_cores,
                      .control = job.control,
                      .ends_with_parent = job.is_of_mpi(),
                      .patience = options.patience});
}

}  // namespace

base::Result<std::unique_ptr<Transport>> open_transport(const launch::Job& job, const OpenOptions& asked) {
  const OpenOptions options = without_hurry(job, asked);
  const char* const variable = std::getenv("WEIR_TRANSPORT");
  const std::string wanted = variable == nullptr ? "" : variable;
  if (wanted == "mpi") return open_joined(job, options, false);
  if (wanted == "joined") return open_joined(job, options, true);
  if (wanted == "shared" && !job.is_on_one_host())
    return base::Status{
        base::Code::bad_option,
        fmt::format("WEIR_TRANSPORT=shared is for ranks of one host, and of {} ranks {} are on this one", job.ranks,
                    job.host_ranks)};
  if (!wanted.empty() && wanted != "shared")
    return base::Status{base::Code::bad_option,
                        fmt::format("WEIR_TRANSPORT={}: shared, joined or mpi is meant", base::one_line(wanted))};
  return job.is_on_one_host() ? open_on_host(job, options) : open_joined(job, options, true);
}

}  // namespace weir::transport
