// SPDX-License-Identifier: Apache-2.0

// Progress: a thread that runs what has arrived, and notices when a rank is lost.
#pragma once

#include <atomic>
#include <thread>

#include "cluster/exchange.hpp"
#include "transport/transport.hpp"

namespace weir::cluster {

class Progress {
 public:
  // Both outlive it.
  Progress(transport::Transport& transport, Exchange& exchange);
  ~Progress();

 private:
  void run();

  transport::Transport& transport_;
  Exchange& exchange_;
  std::atomic<bool> ends_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace weir::cluster
