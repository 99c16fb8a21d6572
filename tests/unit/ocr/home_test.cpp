// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/home.hpp"

#include <gtest/gtest.h>

#include <array>

#include "ocr/objects/affinities.hpp"
#include "ocr/objects/become_rank.hpp"
#include "ocr/objects/hint.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {
namespace {

Guid event_in(std::uint32_t part) { return Guid::make(Kind::event, 0, part << kPartShift); }

// One test, since a process is one rank for ever.
TEST(Homes, AreThoseOfThePartsOfIndices) {
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
  EXPECT_EQ(home_of(Guid::make(Kind::edt, 1, ~std::uint32_t{0})), Rank{4});
  EXPECT_THROW(static_cast<void>(events().reserve((std::uint64_t{1} << 32) / 5)), std::bad_alloc)
      << "more than a rank has";
  for (const Guid nobody : {Guid{}, kUninitialized, kError, affinity_of(Rank{1}, 0), Guid::make(Kind::context, 0, 1)})
    EXPECT_FALSE(is_far(nobody));

  // As one that has adopted what rank 1 had.
  Share share = parts_now();
  EXPECT_EQ(share.homes, divide(5).homes);
  ASSERT_EQ(share.stretches.size(), 1U);
  EXPECT_EQ(share.stretches[0].next_of(TableOf::events), own + 10);
  EXPECT_EQ(share.stretches[0].next_of(TableOf::maps), own);
  const std::uint32_t first = share.homes[1].first;
  share.homes[1].home = 3;
  Stretch adopted = share.stretches[0];
  adopted.next.fill(std::uint64_t{first + 1} << kPartShift);
  adopted.end = std::uint64_t{first + 7} << kPartShift;
  share.stretches.insert(share.stretches.begin(), adopted);
  take_parts(share);
  EXPECT_EQ(home_of(event_in(first)), Rank{3});
  EXPECT_FALSE(is_far(event_in(first)));
  EXPECT_TRUE(is_far(event_in(first - 1)));
  EXPECT_EQ(events().reserve(1), (first + 1) << kPartShift);
  adopted.next_of(TableOf::events) += 1;
  share.stretches[0] = adopted;
  EXPECT_EQ(parts_now().homes, share.homes);
  EXPECT_EQ(parts_now().stretches, share.stretches);
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

TEST(Affinities, OfRanksAndDomainsThatAreNoMoreStandForThoseThatAdoptThem) {
  set_domains(std::array<std::uint32_t, 2>{2, 1});
  const Guid none = affinity_of(Rank{4}, 0);
  EXPECT_EQ(present_affinity(none), Guid{});
  EXPECT_EQ(rank_of_hint(none.bits), 4) << "which is none";
  EXPECT_EQ(most_affinities().count, 3U);
  note_past_affinities({5, 20});
  EXPECT_EQ(most_affinities().ranks, 5U);
  EXPECT_EQ(most_affinities().count, 20U);
  EXPECT_EQ(present_affinity(none), affinity_of(Rank{0}, 0));
  EXPECT_EQ(rank_of_hint(none.bits), 0);
  EXPECT_EQ(present_affinity(affinity_of(Rank{2}, 3)), affinity_of(Rank{0}, 1));
  EXPECT_EQ(present_affinity(affinity_of(Rank{1}, 3)), affinity_of(Rank{1}, 0));
  EXPECT_EQ(present_affinity(affinity_of(Rank{0}, 1)), affinity_of(Rank{0}, 1));
  EXPECT_EQ(present_affinity(affinity_of(Rank{5}, 0)), Guid{});
  EXPECT_EQ(rank_of_hint(affinity_of(Rank{5}, 0).bits), 5);
  note_past_affinities({});
}

}  // namespace
}  // namespace weir::ocr
