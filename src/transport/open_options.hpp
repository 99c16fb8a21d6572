// SPDX-License-Identifier: Apache-2.0

// OpenOptions: what open_transport() is told beside the job.
#pragma once

#include <chrono>

namespace weir::transport {

struct OpenOptions {
  // How long ranks wait for one another to start, where nothing else sees that one is gone: what has started them does.
  std::chrono::milliseconds patience{60'000};
  // Several threads call the transport and its channels at the same time: unsupported, over an MPI whose calls the
  // program has restricted to one thread.
  bool threads = true;
};

}  // namespace weir::transport
