// SPDX-License-Identifier: Apache-2.0

// UntrackedTasks: the tasks that register no requests, since every block stays where it is until there are more than
// the fast tier holds; counted, so that the store knows when the last of them has ended.
//
// STORE-1: a thread that begins a task counts first and looks at tracked_ then; begin_tracking() sets that first and
// the counts are read then, with the heavy side of the barrier in between. So either the thread sees that it has to
// track, or it is counted.
// HOLD-1: of a block likewise, in its own counter, all sequentially consistent: either the holder sees that it needs a
// request, or its count is seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/layout.hpp"
#include "data/block.hpp"
#include "platform/barrier.hpp"

namespace weir::data {

class UntrackedTasks {
 public:
  // Who has begun to track, and learns what ends from then on. Called without a lock.
  class Tracker {
   public:
    virtual void untracked_ended() = 0;  // one of them; others may run
    virtual void hold_ended(Block& block) = 0;

   protected:
    ~Tracker() = default;
  };

  // Of so many threads, one of which calls for each number.
  UntrackedTasks(int threads, Tracker& tracker) : tracker_(tracker), counts_(static_cast<std::size_t>(threads)) {}

  bool tracked() const noexcept { return tracked_.load(std::memory_order_acquire); }  // STORE-1

  // False: tasks are tracked now; this one needs a request.
  bool begin(int thread) noexcept {
    if (tracked()) return false;
    Counts& own = counts_[static_cast<std::size_t>(thread)];
    own.begun.store(own.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    platform::light_barrier();  // STORE-1
    if (!tracked_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    end(thread);
    return false;
  }
  // Of a task that finds no memory for a request, and never runs: end() follows, as of one that begin() has counted.
  void count_without_request(int thread) noexcept {
    Counts& own = counts_[static_cast<std::size_t>(thread)];
    own.begun.store(own.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void end(int thread) noexcept {
    Counts& own = counts_[static_cast<std::size_t>(thread)];
    own.ended.store(own.ended.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    platform::light_barrier();  // STORE-1
    if (tracked_.load(std::memory_order_relaxed)) [[unlikely]]
      tracker_.untracked_ended();
  }

  // The same by block, of those with PlacementHint::counts_holds: the block stays where it is until release(). False:
  // tasks are tracked now; a request is needed.
  bool hold(Block& block) noexcept {
    if (tracked()) return false;
    block.holds.fetch_add(1, std::memory_order_seq_cst);       // HOLD-1
    if (!tracked_.load(std::memory_order_seq_cst)) [[likely]]  // HOLD-1
      return true;
    release(block);
    return false;
  }
  void release(Block& block) noexcept {
    block.holds.fetch_sub(1, std::memory_order_seq_cst);        // HOLD-1
    if (tracked_.load(std::memory_order_seq_cst)) [[unlikely]]  // HOLD-1
      tracker_.hold_ended(block);
  }

  void begin_tracking() noexcept {
    tracked_.store(true, std::memory_order_seq_cst);  // STORE-1, HOLD-1
    platform::heavy_barrier();
  }
  // Once tracking has begun: all have ended. Ended is summed first: a task in between the two sums is counted as
  // running, never as ended.
  bool none_runs() const noexcept {
    std::uint64_t ended = 0, begun = 0;
    for (const Counts& c : counts_) ended += c.ended.load(std::memory_order_acquire);
    for (const Counts& c : counts_) begun += c.begun.load(std::memory_order_acquire);
    return begun == ended;
  }

 private:
  // STORE-1: written by its thread only.
  struct alignas(base::kDestructiveSize) Counts {
    std::atomic<std::uint64_t> begun{0}, ended{0};
  };

  Tracker& tracker_;
  std::atomic<bool> tracked_{false};  // STORE-1
  std::vector<Counts> counts_;
};

}  // namespace weir::data
