// SPDX-License-Identifier: Apache-2.0

#include "island/room.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "island/segment.hpp"

namespace weir::island {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class Rooms : public testing::Test {
 protected:
  Rooms() : memory_(map_segment({{64 * kMiB}}).value()), room_(*memory_, [this] { return limit_; }) {}

  platform::MemoryLimit limit_{8 * kMiB, "its cgroup"};
  std::unique_ptr<memory::SharedBacking> memory_;
  Room room_;
};

TEST_F(Rooms, PagesThatTheMachineDoesNotHaveAreRefusedWithWhatThereIs) {
  EXPECT_TRUE(room_.check(8 * kMiB));
  const base::Status status = room_.check(32 * kMiB);
  EXPECT_EQ(status.code, base::Code::no_space);
  EXPECT_EQ(status.message, "32 MiB of it have no pages yet, and its cgroup leaves 8 MiB");
}

TEST_F(Rooms, WhatWasRefusedMayBeAskedForAgainAndLessIsThere) {
  EXPECT_FALSE(room_.check(32 * kMiB));
  EXPECT_TRUE(room_.check(4 * kMiB));
  limit_.bytes = 40 * kMiB;
  EXPECT_TRUE(room_.check(32 * kMiB));
}

TEST_F(Rooms, PagesThatAreThereNeedNoMoreMemory) {
  ASSERT_TRUE(memory_->populate(0, 32 * kMiB));
  limit_.bytes = kMiB;
  EXPECT_TRUE(room_.check(32 * kMiB));
  EXPECT_FALSE(room_.check(40 * kMiB));
}

TEST_F(Rooms, MemoryIsThereOrAskedForOnce) {
  EXPECT_TRUE(room_.check(8 * kMiB));
  limit_.bytes = 0;
  EXPECT_TRUE(room_.check(8 * kMiB));
}

}  // namespace
}  // namespace weir::island
