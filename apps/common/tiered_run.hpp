// SPDX-License-Identifier: Apache-2.0

// Runs a variant of an application in a process of its own, with what it is allowed to use.
#pragma once

#include <string>

#include "apps/common/tier_app.hpp"
#include "base/result.hpp"

namespace weir::apps {

// Where what does not fit in the fast tier is.
struct SlowTier {
  std::string folder = "/tmp";  // of a file
  double fraction = 0;          // above 0: no file, but memory slowed down to this fraction

  bool emulated() const { return fraction > 0; }
};

// "file:FOLDER", or "emulated:FRACTION" with 0 < FRACTION <= 1; bad_option otherwise.
base::Result<SlowTier> parse_slow_tier(const std::string& text);
std::string to_string(const SlowTier& slow);

// The text for Options::tiers: `budget` bytes of memory, and room for `total` bytes in the slow tier.
std::string tiers_text(const SlowTier& slow, std::uint64_t budget, std::uint64_t total);

// "512MiB", as in Options::tiers; bad_option names `option`.
base::Result<std::uint64_t> parse_bytes(const std::string& option, const std::string& text);

// What a process may hold when its fast tier has this budget: 2 % and 64 MiB for everything else.
std::uint64_t allowed_bytes(std::uint64_t budget);

// settings.runtime.tiers, .evict and the rest are as the caller wants them; the strategy is the variant's. The tiered
// variants need settings.budget.
// `unsupported` when the variant cannot be run here (no right to limit memory, no StarPU): the message says why. Any
// other failure is the run's.
base::Result<Outcome> run_variant(const TierApp& app, const TierVariant& variant, TierSettings settings,
                                  double timeout_s);

// Why a variant cannot be run on this machine, or success.
base::Status check_variant(const TierVariant& variant);

}  // namespace weir::apps
