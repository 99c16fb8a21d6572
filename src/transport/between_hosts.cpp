// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/open_joined.hpp"
#include "transport/open_transport.hpp"

namespace weir::transport {

base::Result<std::unique_ptr<Transport>> open_between_hosts(const launch::Job& job, const OpenOptions& options) {
  return open_joined(job, options, true);
}

}  // namespace weir::transport
