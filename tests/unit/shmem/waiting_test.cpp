// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/waiting.hpp"

#include <gtest/gtest.h>

namespace weir::shmem {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Waiting, LooksMoreSeldomTheLongerItLasts) {
  EXPECT_EQ(ns_to_next_look(0, false), 100 * kMs);
  EXPECT_EQ(ns_to_next_look(4'000 * kMs, false), 1'000 * kMs);
  EXPECT_EQ(ns_to_next_look(100'000 * kMs, false), 5'000 * kMs);
}

TEST(Waiting, LooksOftenHoweverLongItLastsWhileThePeStandsStill) {
  EXPECT_EQ(ns_to_next_look(0, true), 100 * kMs);
  EXPECT_EQ(ns_to_next_look(25'000 * kMs, true), 500 * kMs);
}

}  // namespace
}  // namespace weir::shmem
