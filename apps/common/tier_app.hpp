// SPDX-License-Identifier: Apache-2.0

// An application of a certain size, as `weir run` and `weir bench tiers` see it.
//
// One thread; the functions that run something expect to be in a process of their own (tiered_run.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/access_trace.hpp"
#include "apps/common/outcome.hpp"
#include "apps/common/tier_variants.hpp"

namespace weir::apps {

class TierApp {
 public:
  virtual ~TierApp() = default;

  virtual std::string name() const = 0;
  // The size, for messages: "384x384x1024".
  virtual std::string size() const = 0;
  // What is computed, in a line.
  virtual std::string describe() const = 0;
  // In which order `settings` have it computed, a few words.
  virtual std::string describe_order(const TierSettings& settings) const = 0;
  // Of all blocks, and of those that one task names.
  virtual std::uint64_t total_bytes() const = 0;
  virtual std::uint64_t task_bytes() const = 0;
  // Seconds that a run in memory takes on some machine of today: for plans, not for results.
  virtual double guessed_seconds(int threads) const = 0;

  // Any variant but StarPU. Throws weir::Error when it cannot.
  virtual Outcome run(const TierVariant& variant, const TierSettings& settings) const = 0;
  // For weir-tiers-starpu (apps/starpu/main.cpp).
  virtual std::vector<std::string> starpu_arguments(const TierSettings& settings) const = 0;
  // What the tasks of a Weir variant touch.
  virtual AccessTrace trace(const TierSettings& settings) const = 0;
};

// For starpu_arguments(): what all applications begin with.
std::vector<std::string> common_starpu_arguments(const std::string& app, const TierSettings& settings);

}  // namespace weir::apps
