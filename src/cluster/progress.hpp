// SPDX-License-Identifier: Apache-2.0

// Progress: a thread that runs what has arrived, and notices when a rank is lost or tasks of this one have failed.
#pragma once

#include <atomic>
#include <thread>

#include "cluster/exchange.hpp"
#include "runtime/watch.hpp"
#include "transport/transport.hpp"

namespace weir::cluster {

class Progress {
 public:
  // On the thread that spawns tasks of `runtime`. All outlive it.
  Progress(transport::Transport& transport, Exchange& exchange, Runtime& runtime);
  ~Progress();

 private:
  void run();
  void look_for_failures();

  transport::Transport& transport_;
  Exchange& exchange_;
  const runtime::FailureWatch tasks_;
  std::atomic<bool> ends_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace weir::cluster
