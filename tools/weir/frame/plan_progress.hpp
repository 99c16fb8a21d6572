// SPDX-License-Identifier: Apache-2.0

// The progress of a plan of many runs, minutes long: what runs now, how far the plan is, and about how long it still
// takes. A live line on a terminal; elsewhere a plain line on standard error now and then. Nothing with --json.
#pragma once

#include <cstddef>
#include <string>

#include "global.hpp"

namespace weir::tool {

// "37 of 180, about 2 min left: chain, tbb", cut to `columns`. `seconds`: since the first began; how long the rest
// takes is guessed from what the others took, once there are some.
std::string plan_progress_text(std::size_t done, std::size_t total, double seconds, const std::string& next,
                               std::size_t columns);

// Says when the next plain line is due: not at once, and then not often.
class Pace {
 public:
  static constexpr double kSeconds = 15;

  // `now`: seconds since the plan began. True at most once in kSeconds.
  bool due(double now) noexcept;

 private:
  double last_ = 0;
};

// One thread.
class PlanProgress {
 public:
  explicit PlanProgress(const Global& global);
  ~PlanProgress();
  PlanProgress(const PlanProgress&) = delete;
  PlanProgress& operator=(const PlanProgress&) = delete;

  // `done` runs of `total` have ended; `next` begins.
  void show(std::size_t done, std::size_t total, const std::string& next);

 private:
  const Global& global_;
  double began_;
  Pace pace_;
};

}  // namespace weir::tool
