// SPDX-License-Identifier: Apache-2.0

// Progress: who runs what has arrived: workers that look for work, and a thread while none does. The thread also
// notices when a rank is lost or tasks of this one have failed, and when what is awaited does not come.
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
  // On the thread that spawns tasks of `runtime`. All outlive it. Throws std::system_error when no thread can start.
  Progress(transport::Transport& transport, Exchange& exchange, Runtime& runtime);
  ~Progress();

  // The calling thread, which may be a worker, does not look for what has arrived from now on: the thread does.
  void hand_over() noexcept override;
  // Runs what has arrived on the calling thread, until `end_ns`. False: that has come, and it has handed over.
  bool look_until(std::uint64_t end_ns) noexcept;
  // Of all ranks, as Exchange::barrier(): the calling thread looks for a while, then the thread does.
  base::Status barrier(Meeting at);

 private:
  bool pending() const noexcept override { return true; }
  bool ask() noexcept override;
  bool others_ask() const noexcept override { return true; }
  bool counts_lookers() const noexcept override { return false; }

  void run();
  void run_all_arrived() noexcept;
  bool workers_ask() noexcept;
  void look_for_failures();
  void look_for_silence() noexcept;
  void note_lost(const transport::Lost& lost);

  transport::Transport& transport_;
  Exchange& exchange_;
  const Runtime& runtime_;
  const runtime::FailureWatch tasks_;
  std::atomic<bool> ends_{false};
  std::atomic<bool> asked_{false};  // a worker has, since the thread last looked, and has not handed over
  std::atomic<bool> naps_{false};   // the thread leaves it to workers
  platform::Parker parker_;         // its own
  int looks_since_loss_ = 0;        // its own
  std::uint64_t next_inquiry_ = 0;  // its own: when
  std::thread thread_;              // last: it uses the others
};

}  // namespace weir::cluster
