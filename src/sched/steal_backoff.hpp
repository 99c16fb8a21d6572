// SPDX-License-Identifier: Apache-2.0

// StealBackoff: measures what stolen tasks take a thief, and says how long it keeps from stealing when they were not
// worth it. Part of the thief; its thread only. The decisions are policy/steal.hpp's.
#pragma once

#include <cstdint>

#include "sched/policy/steal.hpp"

namespace weir::sched {

class StealBackoff {
 public:
  // The thief has stolen `tasks`, which take their victim so long.
  void begin(std::uint32_t tasks, std::uint64_t home_grain_ns, std::uint64_t now_ns) noexcept {
    runs_ = 0;
    at_once_ = tasks;
    home_grain_ns_ = home_grain_ns;
    stole_at_ns_ = now_ns;
  }
  // It has run another worker's task. True: that many that it is time to look at the clock.
  bool count_run(bool counts) noexcept {
    runs_ += counts ? 1 : 0;
    return runs_ % policy::kMeasureBatch == 0;
  }
  // What it stole has not been judged since.
  bool measures() const noexcept { return stole_at_ns_ != 0; }

  // Whether what it stole was worth it; what its tasks took is left in `grain_ns`. False: nothing was learnt of that.
  bool judge(std::uint64_t now_ns, std::uint64_t& grain_ns) noexcept {
    const policy::StolenBatch batch{runs_, now_ns - stole_at_ns_, at_once_, home_grain_ns_};
    length_ns_ = policy::steal_backoff_ns(batch, length_ns_);
    until_ns_ = length_ns_ == 0 ? 0 : now_ns + length_ns_;
    if (batch.tasks != 0) grain_ns = policy::measured_grain(batch);
    runs_ = 0;
    stole_at_ns_ = length_ns_ == 0 ? now_ns : 0;
    return batch.tasks != 0;
  }
  // It ran dry, and what it steals next is measured anew.
  void stop_measuring() noexcept { stole_at_ns_ = 0; }

  // It keeps from running anything: its tasks are for others to take back.
  bool keeps_off() const noexcept { return until_ns_ != 0; }
  std::uint64_t until_ns() const noexcept { return until_ns_; }
  void end() noexcept { until_ns_ = 0; }

 private:
  std::uint64_t stole_at_ns_ = 0;                        // 0: what it stole has been judged
  std::uint64_t runs_ = 0;                               // tasks of others that it has run since
  std::uint64_t home_grain_ns_ = policy::kUnknownGrain;  // what such tasks took their victim
  std::uint32_t at_once_ = 0;                            // tasks, when it last stole
  std::uint64_t length_ns_ = 0;                          // how long it last kept from stealing
  std::uint64_t until_ns_ = 0;                           // 0: it does not
};

}  // namespace weir::sched
