// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "shmem/start/agreement.hpp"

namespace weir::shmem {
namespace {

TEST(Oversubscription, IsWhenPesWantMoreOfMyProcessorsThanThereAre) {
  EXPECT_FALSE(is_oversubscribed({0, 1}, {{0, 1}, {0, 1}}));
  EXPECT_TRUE(is_oversubscribed({0, 1}, {{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_FALSE(is_oversubscribed({0}, {{0}, {1}})) << "each is bound to its own";
  EXPECT_TRUE(is_oversubscribed({0}, {{0}, {0}}));
  EXPECT_FALSE(is_oversubscribed({0}, {{0}, {2}, {2}})) << "others share one that is not mine";
}

}  // namespace
}  // namespace weir::shmem
