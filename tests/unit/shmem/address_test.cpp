// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/address.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace weir::shmem {
namespace {

// What a PE knows of four segments and one range of constants while a test runs.
class Addresses : public testing::Test {
 protected:
  Addresses() {
    World& w = world();
    for (int i = 0; i < 4; ++i) {
      segments_[i].start = reinterpret_cast<std::uintptr_t>(memory_ + i * 100);
      segments_[i].size = 50;
      segments_[i].name = "segment";
    }
    w.segments[0] = segments_[0];
    w.segments[1] = segments_[1];
    w.all_segments = segments_;
    w.n_segments = static_cast<int>(std::size(segments_));
    constants_ = {reinterpret_cast<std::uintptr_t>(memory_ + 400), 50};
    w.constants = &constants_;
    w.n_constants = w.n_pes = 1;
  }
  ~Addresses() override { world() = World{}; }

  std::byte memory_[500]{};
  Segment segments_[4];
  Constants constants_;
};

TEST_F(Addresses, NamesAreThoseOfTheirObjects) {
  for (const int offset : {0, 49, 120, 200, 349, 400, 449}) {
    EXPECT_NE(name_of(memory_ + offset), 0U) << offset;
    EXPECT_EQ(named(name_of(memory_ + offset)), memory_ + offset) << offset;
  }
  for (const int offset : {50, 199, 350, 450}) EXPECT_EQ(name_of(memory_ + offset), 0U) << offset;
  EXPECT_EQ(name_of(nullptr), 0U);
}

TEST_F(Addresses, AnArrayEndsInTheSegmentInWhichItBegins) {
  check_end(memory_ + 342, 8);
  check_end(memory_ + 460, 1000);  // in none
  check_end(nullptr, 0);
  EXPECT_EXIT(check_end(memory_ + 342, 9), testing::ExitedWithCode(1),
              "9 bytes at 0x.* go beyond the segment: .* 8 bytes");
}

TEST_F(Addresses, ThreadsThatDoNotWaitForTheStartAreToldSo) {
  EXPECT_EXIT(fail_address(memory_ + 60, 0), testing::ExitedWithCode(1), "called before shmem_init\\(\\) has returned");
  world().is_open = true;
  EXPECT_EXIT(fail_address(memory_ + 60, 0), testing::ExitedWithCode(1), "is not symmetric");
}

}  // namespace
}  // namespace weir::shmem
