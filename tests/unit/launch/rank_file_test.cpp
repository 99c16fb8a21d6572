// SPDX-License-Identifier: Apache-2.0

#include "launch/rank_file.hpp"

#include <gtest/gtest.h>

namespace weir::launch {
namespace {

TEST(FilesOfRanks, HaveTheRankBeforeWhatSaysTheirKind) {
  EXPECT_EQ(file_of_rank("t.weir", Rank{2}), "t.2.weir");
  EXPECT_EQ(file_of_rank("/tmp/a.b/trace.of.weir", Rank{10}), "/tmp/a.b/trace.of.10.weir");
  EXPECT_EQ(file_of_rank("out/trace", Rank{0}), "out/trace.0");
}

}  // namespace
}  // namespace weir::launch
