// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/home.hpp"

#include <gtest/gtest.h>

#include <array>

#include "ocr/objects/affinities.hpp"
#include "ocr/objects/become_rank.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {
namespace {

// One test, since a process is one rank for ever.
TEST(Homes, AreInTheUpperBitsOfIndices) {
  const Guid before = Guid::make(Kind::event, 3, 17);
  EXPECT_EQ(home_of(before), Rank{0});
  EXPECT_FALSE(is_spread());
  EXPECT_FALSE(is_far(before));
  become_rank(3, 5);
  EXPECT_TRUE(is_spread());
  EXPECT_EQ(home_of(before), Rank{0});
  EXPECT_TRUE(is_far(before));
  const std::uint32_t own = events().reserve(10);
  EXPECT_EQ(home_of(Guid::make(Kind::event, 0, own)), Rank{3});
  EXPECT_EQ(home_of(Guid::make_label(Kind::event, own + 9)), Rank{3});
  EXPECT_FALSE(is_far(Guid::make(Kind::event, 0, own)));
  EXPECT_EQ(home_of(Guid::make(Kind::edt, 1, own + (std::uint32_t{1} << 29))), Rank{4});
  EXPECT_THROW(static_cast<void>(events().reserve(std::uint64_t{1} << 29)), std::bad_alloc)
      << "more than a rank's part";
  for (const Guid nobody : {Guid{}, kUninitialized, kError, affinity_of(Rank{1}, 0), Guid::make(Kind::context, 0, 1)})
    EXPECT_FALSE(is_far(nobody));
}

TEST(Affinities, AreTheDomainsOfAllRanksOneRankAfterTheOther) {
  const std::array<std::uint32_t, 3> domains{2, 1, 4};
  set_domains(domains);
  ASSERT_EQ(affinity_count(), 7u);
  std::uint64_t number = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    for (std::uint32_t domain = 0; domain < domains[rank]; ++domain) {
      const Guid affinity = affinity_at(number++);
      EXPECT_EQ(affinity, affinity_of(Rank{rank}, static_cast<int>(domain)));
      EXPECT_TRUE(is_affinity(affinity));
    }
  EXPECT_FALSE(is_affinity(affinity_of(Rank{1}, 1)));
  EXPECT_FALSE(is_affinity(affinity_of(Rank{3}, 0)));
  EXPECT_FALSE(is_affinity(Guid::make(Kind::event, 0, 0)));
}

}  // namespace
}  // namespace weir::ocr
