// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/area_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weir::shmem::test {
namespace {

TEST(AreaPool, GivesEachAreaOnceUntilItIsGivenBack) {
  AreaPool pool(3);
  std::set<std::size_t> numbers;
  for (int i = 0; i < 3; ++i) numbers.insert(pool.take()->number);
  EXPECT_EQ(numbers, (std::set<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(pool.take());
}

TEST(AreaPool, AnAreaThatIsUsedAgainKnowsItsLastStep) {
  AreaPool pool(1);
  const AreaPool::Taken fresh = *pool.take();
  EXPECT_EQ(fresh.last_step, 0U);
  pool.give_back({fresh.number, 17});
  EXPECT_EQ(pool.take()->last_step, 17U);
}

}  // namespace
}  // namespace weir::shmem::test
