// SPDX-License-Identifier: Apache-2.0

// Progress: who runs what has arrived: workers that look for work, and a thread while none does. The thread also
// notices when a rank is lost or tasks of this one have failed.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "cluster/exchange.hpp"
#include "platform/futex.hpp"
#include "runtime/watch.hpp"
#include "transport/transport.hpp"
#include "weir/poll.hpp"

namespace weir::cluster {

class Progress final : private Poll {
 public:
  // On the thread that spawns tasks of `runtime`. All outlive it.
  Progress(transport::Transport& transport, Exchange& exchange, Runtime& runtime);
  ~Progress();

  // The calling thread, which may be a worker, does not look for what has arrived from now on: the thread does.
  void hand_over() noexcept override;

 private:
  bool pending() const noexcept override { return true; }
  bool ask() noexcept override;
  bool others_ask() const noexcept override { return true; }

  void run();
  bool workers_ask() const noexcept;
  void look_for_failures();

  transport::Transport& transport_;
  Exchange& exchange_;
  const runtime::FailureWatch tasks_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint64_t> asked_at_ns_{0};  // by a worker; 0: none does
  std::atomic<bool> naps_{false};              // the thread leaves it to workers
  platform::Parker parker_;                    // its own
  std::thread thread_;                         // last: it uses the others
};

}  // namespace weir::cluster
