// SPDX-License-Identifier: Apache-2.0

// OpenOptions: what open_transport() is told beside the job.
#pragma once

#include <chrono>

namespace weir::transport {

struct OpenOptions {
  // How long ranks wait for one another to start, where nothing else sees that one is gone: what has started them does.
  std::chrono::milliseconds patience{60'000};
  bool threads = true;  // several threads of the program call the transport and its channels at the same time
};

}  // namespace weir::transport
