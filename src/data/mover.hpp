// SPDX-License-Identifier: Apache-2.0

// Mover: performs transfers, in the threads that the strategy asks for.
//
// off, inline   none: a worker calls perform() itself
// single        one thread takes transfers one by one
// multi         one thread per worker, each with the transfers of its worker's tasks
// ahead         one thread copies memory; files are read and written by the I/O engine, many at a time
//
// Any thread. Each transfer is told to Landing exactly once, on one of these threads or the I/O engine's.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "data/replica.hpp"
#include "data/tiers.hpp"
#include "memory/throttle.hpp"
#include "weir/options.hpp"

namespace weir::data {

struct FlyingTransfer;

class Landing {
 public:
  virtual void landed(Transfer& transfer, const base::Status& status) noexcept = 0;
  // Between two transfers, by a thread that does nothing else.
  virtual void has_time() noexcept = 0;

 protected:
  ~Landing() = default;
};

class Mover {
 public:
  Mover(TierSet& tiers, Strategy strategy, int workers, Landing& landing);
  // No transfer is under way.
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  // Starts all of the list. Not for off and inline.
  void start(Transfer* transfers) noexcept;
  // Returns when it is done; nothing is told to Landing.
  base::Status perform(Transfer& transfer) noexcept;
  // Makes the calling thread wait as long as using so many bytes of the emulated tier in place costs.
  void charge(std::size_t bytes) noexcept;

 private:
  struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    Transfer* first = nullptr;  // guarded by mutex
    Transfer** last = &first;   // guarded by mutex
    bool stop = false;          // guarded by mutex
    std::thread thread;
  };

  void work(Queue& queue) noexcept;
  Transfer* next(Queue& queue) noexcept;
  static void push(Queue& queue, Transfer& transfer) noexcept;
  const Tier* file_tier(const Transfer& transfer) const noexcept;
  memory::Throttle* throttle_of(const Transfer& transfer) noexcept;
  base::Status copy_memory(Transfer& transfer) noexcept;
  base::Status transfer_file(Transfer& transfer, FileStore& file) noexcept;
  void fly(Transfer& transfer, FileStore& file);

  TierSet& tiers_;
  Landing& landing_;
  const bool asynchronous_;
  std::unique_ptr<memory::Throttle> throttle_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace weir::data
