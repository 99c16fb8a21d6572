// SPDX-License-Identifier: Apache-2.0

// Tasks that use blocks: where the scheduler, which knows tasks, meets the data layer, which knows their blocks.
//
// A runtime opens its tiers when the first block is made, or at its start when options.tiers names some, so that a
// program without blocks pays nothing. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "data/store.hpp"
#include "runtime/tier_source.hpp"
#include "sched/scheduler.hpp"
#include "weir/tier_statistics.hpp"

namespace weir::runtime {

class BlockRuntime final : public data::Sink {
 public:
  // `recorder`: of what blocks do; may be null.
  BlockRuntime(sched::Scheduler& scheduler, trace::Recorder* recorder) noexcept
      : scheduler_(scheduler), recorder_(recorder) {}

  // Blocks that are left are empty from then on, whatever tasks had still to be done with them.
  ~BlockRuntime();

  // Before the first call of store().
  void set_tier_source(const detail::TierSource& source) { source_ = source; }
  // Opens the tiers at the first call. Throws weir::Error.
  data::Store& store();
  // Null when there has been no block. STORE-2: acquire, for what the store was made of.
  data::Store* find_store() const noexcept { return store_.load(std::memory_order_acquire); }
  TierStatistics statistics();

  // The blocks of programs, to be known when the runtime ends.
  void enlist(data::Block& block);
  void strike_off(data::Block& block) noexcept;
  std::vector<data::Block*> live_blocks();
  // All tasks have ended: takes their memory from the blocks that are left, and says so.
  void end_blocks() noexcept;

  // For tests that make memory scarce or I/O fail; null: nothing does.
  static inline memory::TierSetConfig (*tiers_config)() = nullptr;

 private:
  void add(data::Block& block);
  memory::TierSetConfig make_tiers_config() const;
  bool still() noexcept override { return scheduler_.is_still(); }
  bool stuck() noexcept override { return scheduler_.stillness() == sched::Scheduler::Stillness::stuck; }

  sched::Scheduler& scheduler_;
  trace::Recorder* const recorder_;
  detail::TierSource source_;
  base::Mutex mutex_;
  std::vector<data::Block*> blocks_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<data::Store> owned_ WEIR_GUARDED_BY(mutex_);
  std::atomic<data::Store*> store_{nullptr};  // STORE-2: released once owned_ is made
};

}  // namespace weir::runtime
