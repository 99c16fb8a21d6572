// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/given_guids.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ocr/objects/edt_table.hpp"

namespace weir::ocr {
namespace {

TEST(GivenGuids, AreLabelsOfAGenerationThatNoneOfAProgramHas) {
  const GivenGuids given = give_guids();
  ASSERT_GT(given.count, 1u);
  for (std::uint32_t i = 0; i < given.count; ++i) {
    const Guid guid{given.first.bits + i};
    EXPECT_EQ(guid.kind(), Kind::edt);
    EXPECT_EQ(guid.index(), given.first.index() + i);
    EXPECT_TRUE(guid.is_given());
    EXPECT_EQ(find_edt(guid), nullptr);
  }
  EXPECT_FALSE(Guid::make_label(Kind::edt, given.first.index()).is_given());
  EXPECT_FALSE(Guid::make(Kind::edt, 7, given.first.index()).is_given());
}

TEST(GivenGuids, AreGivenAgainUnderTheNextGenerationWhenAllOfABatchHaveEnded) {
  const GivenGuids first = give_guids();
  for (std::uint32_t i = 1; i < first.count; ++i) end_given(first.batch);
  EXPECT_NE(give_guids().batch, first.batch) << "one of it has not ended";
  end_given(first.batch);
  const GivenGuids again = give_guids();
  EXPECT_EQ(again.batch, first.batch);
  EXPECT_EQ(again.first.index(), first.first.index());
  EXPECT_EQ(again.first.generation(), first.first.generation() + 1);
}

TEST(GuidStock, GivesEachGuidOnceAndOfTheHomeThatIsWanted) {
  GuidStock stock;
  EXPECT_FALSE(stock.take(Rank{1}));
  stock.put(Rank{1}, {Guid::make_given(Kind::edt, 1, 100), 3, 17});
  stock.put(Rank{2}, {Guid::make_given(Kind::edt, 1, 200), 1, 18});
  std::set<std::uint32_t> indices;
  for (int i = 0; i < 3; ++i) {
    const auto taken = stock.take(Rank{1});
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->count, 1u);
    EXPECT_EQ(taken->batch, 17u);
    indices.insert(taken->first.index());
  }
  EXPECT_EQ(indices, (std::set<std::uint32_t>{100, 101, 102}));
  EXPECT_FALSE(stock.take(Rank{1}));
  EXPECT_EQ(stock.take(Rank{2})->batch, 18u);
  stock.put(Rank{1}, {Guid::make_given(Kind::edt, 2, 100), 1, 17});
  EXPECT_EQ(stock.take(Rank{1})->first.generation() % Guid::kGenerations, 2u);
}

}  // namespace
}  // namespace weir::ocr
