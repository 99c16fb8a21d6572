// SPDX-License-Identifier: Apache-2.0

// Which EDTs are worth sending to a rank that has nothing to run.
#include "ocr/edts/policy/spread.hpp"

#include <gtest/gtest.h>

namespace weir::ocr::policy {
namespace {

constexpr std::uint64_t kMiB = 1 << 20, kMs = 1'000'000;

TEST(SpreadPolicy, AnEdtThatWouldRunHereNextStays) {
  EXPECT_FALSE(pays_elsewhere({.can_run_at_once = true, .others_are_ready = false}));
  EXPECT_TRUE(pays_elsewhere({.can_run_at_once = true, .others_are_ready = true}));
  EXPECT_TRUE(pays_elsewhere({.can_run_at_once = false, .others_are_ready = false}));
}

TEST(SpreadPolicy, BlocksGoAlongWhenTheEdtTakesLongerThanTheirCopies) {
  EdtToSpread edt{.others_are_ready = true, .bytes = 4 * kMiB, .usual_ns = kMs};
  EXPECT_TRUE(pays_elsewhere(edt)) << "0.2 ms of copying for 1 ms of work";
  edt.usual_ns = kMs / 10;
  EXPECT_FALSE(pays_elsewhere(edt)) << "0.2 ms of copying for 0.1 ms of work";
  edt.bytes = 0;
  edt.usual_ns = 1;
  EXPECT_TRUE(pays_elsewhere(edt)) << "a tree of short EDTs has no blocks, and much work behind each";
}

TEST(SpreadPolicy, OfAFunctionThatHasNotRunLittleGoesAlong) {
  EXPECT_TRUE(pays_elsewhere({.others_are_ready = true, .bytes = kMiB}));
  EXPECT_FALSE(pays_elsewhere({.others_are_ready = true, .bytes = kMiB + 1}));
}

TEST(SpreadPolicy, WhatEdtsHaveTakenFollowsThoseThatRunNow) {
  EXPECT_EQ(usual_after(0, 800), 800u);
  EXPECT_EQ(usual_after(800, 1600), 900u);
  EXPECT_EQ(usual_after(0, 0), 1u) << "one has run, in no time";
  std::uint64_t usual = 1'000'000;
  for (int i = 0; i < 100; ++i) usual = usual_after(usual, 1000);
  EXPECT_LT(usual, 1100u);
}

}  // namespace
}  // namespace weir::ocr::policy
