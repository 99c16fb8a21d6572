// SPDX-License-Identifier: Apache-2.0

#include "base/check.hpp"

#include <gtest/gtest.h>

namespace weir::base {
namespace {

TEST(Check, LetsPassWhatHolds) { WEIR_CHECK(1 + 1 == 2, "arithmetic"); }

TEST(CheckDeathTest, EndsTheProcessWithReasonConditionAndPlace) {
  const int workers = 0;
  EXPECT_DEATH(WEIR_CHECK(workers > 0, "a runtime needs a worker"),
               "weir: a runtime needs a worker \\(workers > 0 is false at .*check_test.cpp:[0-9]+\\)");
}

}  // namespace
}  // namespace weir::base
