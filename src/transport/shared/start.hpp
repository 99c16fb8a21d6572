// SPDX-License-Identifier: Apache-2.0

// start: the ranks of a host find one another and get the common memory. From its return on, the end of each of them
// is seen by the others.
#pragma once

#include "base/result.hpp"
#include "transport/shared/commons.hpp"
#include "transport/shared/open_shared.hpp"
#include "transport/shared/peers.hpp"
#include "transport/shared/sockets.hpp"

namespace weir::transport::shared {

struct Started {
  Commons commons;
  Sockets sockets;
};

base::Result<Started> start(const SharedPlace& place);

}  // namespace weir::transport::shared
