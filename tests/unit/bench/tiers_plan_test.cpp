// SPDX-License-Identifier: Apache-2.0

#include "bench/tiers/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "bench/tiers/measure.hpp"
#include "bench/tiers/render.hpp"

namespace weir::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TiersRequest request() {
  TiersRequest request;
  request.peers = "none";
  return request;
}

std::vector<std::string> labels_of(const TiersPlan& plan) {
  std::vector<std::string> labels;
  for (const Contender& contender : plan.contenders) labels.push_back(contender.label());
  return labels;
}

TEST(TiersPlan, EachStrategyHasItsOwnEvictionByDefault) {
  EXPECT_THAT(labels_of(*plan_tiers(request(), {})),
              ElementsAre("off", "inline, refcount", "single, refcount", "multi, refcount", "ahead, next-use",
                          "model, next-use"));
}

TEST(TiersPlan, NaivePlacementIsAlwaysThereAndEvictionsAreCombined) {
  TiersRequest asked = request();
  asked.strategies = "ahead";
  asked.evict = "lru,next-use";
  EXPECT_THAT(labels_of(*plan_tiers(asked, {})), ElementsAre("off", "ahead, lru", "ahead, next-use"));
}

TEST(TiersPlan, SizesAreNearTheRatioTimesTheBudgetAndTheRatioIsExact) {
  TiersRequest asked = full_tiers();
  asked.peers = "none";
  const auto plan = plan_tiers(asked, {});
  ASSERT_EQ(plan->setups.size(), 4u);
  for (const bench::Setup& setup : plan->setups) {
    const auto total = static_cast<double>(setup.app->total_bytes());
    EXPECT_NEAR(total / static_cast<double>(setup.settings.budget), setup.ratio, 1e-3);
    EXPECT_NEAR(total, setup.ratio * static_cast<double>(256 << 20), 0.06 * total);
  }
}

// Name, size over the fast tier, fast tier in MiB.
using Sizes = std::vector<std::tuple<std::string, double, std::uint64_t>>;

Sizes sizes_of(TiersRequest asked) {
  asked.peers = "none";
  Sizes sizes;
  const auto plan = plan_tiers(asked, {});
  for (const Setup& setup : plan->setups) {
    sizes.emplace_back(setup.app->name(), setup.ratio, (setup.settings.budget + (8 << 20)) >> 24 << 4);
  }
  return sizes;
}

TEST(TiersPlan, OfTheUsualRunHasBothProgramsInOneSizeAndEveryStrategyThrice) {
  EXPECT_EQ(sizes_of(usual_tiers()), (Sizes{{"stencil3d", 2, 128}, {"matmul", 2, 128}}));
  EXPECT_EQ(labels_of(*plan_tiers(request(), {})).size(), 6u);
  EXPECT_EQ(TiersAmount().rounds, 3);
  EXPECT_EQ(usual_tiers().peers, "all");
}

TEST(TiersPlan, OfTheFullRunHasThePapersSizes) {
  EXPECT_EQ(sizes_of(full_tiers()),
            (Sizes{{"stencil3d", 2, 256}, {"stencil3d", 3.4, 256}, {"matmul", 2, 256}, {"matmul", 3.4, 256}}));
}

TEST(TiersPlan, CountsTheRunsThatItTells) {
  const auto plan = plan_tiers(request(), {});
  EXPECT_EQ(run_count(*plan, {}), 3 + 2 * (1 + 3 * (1 + 6)));
}

TEST(TiersPlan, AnEmulatedSlowTierIsSaidInEveryText) {
  TiersRequest asked = request();
  asked.slow = "emulated:0.25";
  asked.peers = "all";
  const auto plan = plan_tiers(asked, {});
  EXPECT_THAT(plan->left_out, testing::Each(HasSubstr("the slow tier is emulated")));
  EXPECT_THAT(tiers_plan_text(*plan, {}), HasSubstr("emulated"));
  EXPECT_THAT(tiers_table(*plan, {}), HasSubstr("emulated"));
  EXPECT_EQ(tiers_plot(*plan, {}).script, "") << "nothing was measured";
  TiersReport report;
  report.rows.emplace_back().setup = &plan->setups.front();
  report.rows.back().contender = &plan->contenders.front();
  report.rows.back().speedup_over_naive = 2;
  EXPECT_THAT(tiers_plot(*plan, report).script, HasSubstr("(emulated slow tier)"));
  EXPECT_THAT(plan->setups.front().settings.runtime.tiers, HasSubstr("emulated="));
}

TEST(TiersPlan, WhatCannotBeUsedIsNamed) {
  const auto message = [](auto change) {
    TiersRequest asked = request();
    change(asked);
    return plan_tiers(asked, {}).status().message;
  };
  EXPECT_THAT(message([](auto& r) { r.apps = "stencil"; }), HasSubstr("stencil3d"));
  EXPECT_THAT(message([](auto& r) { r.ratios = "2,x"; }), HasSubstr("'x'"));
  EXPECT_THAT(message([](auto& r) { r.ratios = "1"; }), HasSubstr("--ratios"));
  EXPECT_THAT(message([](auto& r) { r.strategies = "aheda"; }), HasSubstr("ahead"));
  EXPECT_THAT(message([](auto& r) { r.evict = "fifo"; }), HasSubstr("eviction"));
  EXPECT_THAT(message([](auto& r) { r.peers = "dask"; }), HasSubstr("peer"));
  EXPECT_THAT(message([](auto& r) { r.slow = "disk"; }), HasSubstr("--slow"));
  EXPECT_THAT(message([](auto& r) { r.slow = "file:/nonexistent"; }), HasSubstr("--slow file:/nonexistent: no file"));
  EXPECT_THAT(message([](auto& r) { r.budget = 1 << 20; }), HasSubstr("--budget"));
}

TEST(TiersRow, TakesMediansOfTimesAndTheMostOfMemory) {
  TiersRow row;
  for (const double seconds : {3.0, 1.0, 2.0}) {
    apps::Outcome run;
    run.seconds = seconds;
    run.peak_rss_bytes = static_cast<std::uint64_t>(seconds * 100);
    row.runs.push_back(run);
  }
  EXPECT_EQ(row.seconds(), 2);
  EXPECT_EQ(row.peak_rss_bytes(), 300u);
}

}  // namespace
}  // namespace weir::bench
