// SPDX-License-Identifier: Apache-2.0

// Mover: performs transfers, in the threads that the strategy asks for.
//
// off, inline   none: a worker calls perform() itself
// single        one thread takes transfers one by one
// multi         one thread per worker, each with the transfers of its worker's tasks
// ahead         one thread, for copy engines that block; those that do not (files) work on many transfers at a time
//
// What copies between two memories is a copy engine's business (memory/copy_engine.hpp). Any thread. Each transfer is
// reported to Landing exactly once, on one of these threads or a copy engine's.
#pragma once

#include <condition_variable>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "data/engine/replica.hpp"
#include "data/tier_memory.hpp"
#include "memory/copy_engine.hpp"
#include "weir/options.hpp"

namespace weir::data {

using engine::Transfer;

class Landing {
 public:
  virtual void landed(Transfer& transfer, const base::Status& status) noexcept = 0;

 protected:
  ~Landing() = default;
};

class Mover {
 public:
  // `engines` and `memory` outlive it. Throws std::system_error when a thread cannot start.
  Mover(memory::CopyEngines& engines, const TierMemory& memory, Strategy strategy, int workers, Landing& landing);
  // No transfer is under way.
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  // Starts all of the list. Not for off and inline.
  void start(Transfer* transfers) noexcept;
  // Returns when it is done; Landing is not notified.
  base::Status perform(Transfer& transfer) noexcept;

 private:
  struct Queue {
    base::Mutex mutex;
    std::condition_variable filled;
    Transfer* first WEIR_GUARDED_BY(mutex) = nullptr;
    Transfer** last WEIR_GUARDED_BY(mutex) = &first;
    bool stop WEIR_GUARDED_BY(mutex) = false;
    std::thread thread;
  };

  void stop() noexcept;
  void work(Queue& queue) noexcept;
  Transfer* next(Queue& queue) noexcept;
  static void push(Queue& queue, Transfer& transfer) noexcept;
  memory::Copy copy_of(const Transfer& transfer) const noexcept;
  void fly(Transfer& transfer, const memory::Copy& copy, memory::CopyEngine& engine);

  memory::CopyEngines& engines_;
  const TierMemory& memory_;
  Landing& landing_;
  const bool asynchronous_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace weir::data
