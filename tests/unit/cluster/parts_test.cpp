// SPDX-License-Identifier: Apache-2.0

// Copies of a tile: every contribution is folded once, into the writer's, by all ranks alike.
#include "cluster/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace weir::cluster {
namespace {

using testing::IsEmpty;

constexpr detail::TileReduction kReduction{1, nullptr, nullptr};

TEST(Parts, TheWriterHasNoCopyAndOthersBeginOnce) {
  Parts parts;
  EXPECT_FALSE(parts.note(kReduction, Rank{1}, Rank{1}));
  EXPECT_TRUE(parts.note(kReduction, Rank{1}, Rank{0}));
  EXPECT_FALSE(parts.note(kReduction, Rank{1}, Rank{0}));
  EXPECT_EQ(parts.reduction(), &kReduction);
  const auto folds = parts.close(Rank{1});
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_EQ(folds[0].from, Rank{0});
  EXPECT_EQ(folds[0].into, Rank{1});
}

TEST(Parts, NothingIsFoldedWhereOnlyTheWriterAccumulates) {
  Parts parts;
  parts.note(kReduction, Rank{3}, Rank{3});
  EXPECT_THAT(parts.close(Rank{3}), IsEmpty());
  EXPECT_EQ(parts.reduction(), nullptr);
}

TEST(Parts, ARankBeginsAgainAfterItsCopyWasFolded) {
  Parts parts;
  EXPECT_TRUE(parts.note(kReduction, Rank{0}, Rank{2}));
  parts.close(Rank{0});
  EXPECT_TRUE(parts.note(kReduction, Rank{0}, Rank{2}));
}

TEST(Parts, EachContributionEndsInTheTileAfterFewSteps) {
  for (std::uint32_t ranks = 1; ranks <= 40; ++ranks) {
    const Rank writer{ranks / 2};
    Parts parts;
    std::map<Rank, std::set<Rank>> has;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      parts.note(kReduction, writer, Rank{rank});
      has[Rank{rank}] = {Rank{rank}};
    }
    std::map<Rank, int> received;
    for (const Parts::Fold& fold : parts.close(writer)) {
      for (const Rank from : has[fold.from])
        EXPECT_TRUE(has[fold.into].insert(from).second) << "folded twice with " << ranks << " ranks";
      has[fold.from].clear();
      ++received[fold.into];
    }
    EXPECT_EQ(has[writer].size(), ranks);
    for (const auto& [rank, count] : received) EXPECT_LE(count, std::ceil(std::log2(ranks)));
  }
}

}  // namespace
}  // namespace weir::cluster
