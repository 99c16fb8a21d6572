// SPDX-License-Identifier: Apache-2.0

// What `weir bench tiers` measures: applications of sizes that are so many times the fast tier, each with several ways
// to move data.
//
// Pure, but for the check which variants this machine can run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/common/tier_app.hpp"
#include "apps/common/tiered_run.hpp"
#include "base/result.hpp"
#include "weir/options.hpp"

namespace weir::bench {

// What a user asked for, as text.
struct TiersRequest {
  std::string apps = "all";
  std::string ratios = "2";
  std::uint64_t budget = std::uint64_t{128} << 20;  // bytes of the fast tier, about: sizes are whole blocks
  std::string strategies = "all";
  std::string evict = "default";  // "default": each strategy with its own
  std::string peers = "all";
  std::string slow = "file:/tmp";
  apps::Order order = apps::Order::reuse;
  int workers = 2;
};

// What is measured when nothing is asked for, and when everything is: as large and as many sizes as in the paper's
// figures.
TiersRequest usual_tiers();
TiersRequest full_tiers();

// One way to run an application: a variant and, for Weir, an eviction policy.
struct Contender {
  const apps::TierVariant* variant = nullptr;
  Evict evict = Evict::next_use;

  bool weir() const { return variant->kind == apps::TierVariantKind::weir; }
  bool naive() const { return weir() && variant->tiered && variant->strategy == Strategy::off; }
  std::string runtime() const;   // "weir", "mmap", "starpu"
  std::string strategy() const;  // "ahead"; "" for peers
  std::string evict_name() const;
  std::string label() const;  // "ahead, next-use"; "mmap"
};

// An application at one ratio.
struct Setup {
  std::unique_ptr<apps::TierApp> app;
  double ratio = 0;
  apps::TierSettings settings;  // budget, threads, order, folder
};

struct TiersPlan {
  apps::SlowTier slow;
  std::vector<Setup> setups;
  std::vector<Contender> contenders;  // in the order of the table; naive placement first, always there
  std::vector<std::string> left_out;  // peers that cannot be run here, and why
};

// bad_option names what cannot be used; unsupported, a peer that was named and cannot be run.
base::Result<TiersPlan> plan_tiers(const TiersRequest& request, const Options& options);

}  // namespace weir::bench
