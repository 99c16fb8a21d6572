// SPDX-License-Identifier: Apache-2.0

#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace weir::base {
namespace {

const Status kRefused{Code::no_space, "4 GiB asked for, 1 GiB free; ask for less"};

TEST(Status, IsTrueOnlyForSuccess) {
  EXPECT_TRUE(Status::success());
  EXPECT_FALSE(kRefused);
}

TEST(Result, HoldsAValueThatCanBeMovedOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsTheFailureWordForWord) {
  const Result<int> result(kRefused);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.status().code, Code::no_space);
  EXPECT_EQ(result.status().message, kRefused.message);
}

TEST(ResultDeathTest, GivesNoValueWhereThereIsNone) {
  EXPECT_DEATH((void)Result<int>(kRefused).value(), "value\\(\\) of a Result that holds a failure");
}

TEST(ResultDeathTest, RefusesToHoldSuccessWithoutAValue) {
  EXPECT_DEATH((void)Result<int>(Status::success()), "a Result without a value needs a failure");
}

}  // namespace
}  // namespace weir::base
