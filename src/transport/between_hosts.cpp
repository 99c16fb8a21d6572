// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "transport/open_transport.hpp"

namespace weir::transport {

base::Result<std::unique_ptr<Transport>> open_between_hosts(const launch::Job& job, const OpenOptions&) {
  return base::Status{
      base::Code::unsupported,
      fmt::format("rank {} of {}: {} of them are said to be on this host, and between hosts this build has "
                  "no transport; start all ranks on one host, with weir run -n {}",
                  static_cast<std::uint32_t>(job.rank), job.ranks, job.host_ranks, job.ranks)};
}

}  // namespace weir::transport
