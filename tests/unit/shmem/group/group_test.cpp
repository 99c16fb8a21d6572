// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/group.hpp"

#include "unit/shmem/group/play.hpp"

namespace weir::shmem::test {
namespace {

// What PE `me` knows of a group of these PEs.
void with_group(Stage stage, int me, const std::vector<int>& pes, const std::function<void(Group&)>& look) {
  play(stage, [&](Pe& pe) {
    if (pe.me() == me) look(*pe.group(pes, 0));
  });
}

TEST(Group, TheFirstMemberOfEachNodeLeadsIt) {
  Stage stage = one_node(6);
  stage.nodes = {4, 4, 2, 2, 4, 9};
  with_group(stage, 4, {5, 0, 2, 4, 3}, [](Group& group) {
    EXPECT_EQ(group.far().nodes(), 3U);
    EXPECT_EQ(group.far().pe(0), 5);
    EXPECT_EQ(group.far().pe(1), 0);
    EXPECT_EQ(group.far().pe(2), 2);
    EXPECT_EQ(group.my_node(), 1U);
    EXPECT_EQ(group.near().size(), 2U);
    EXPECT_EQ(group.near().me(), 1U);
    EXPECT_FALSE(group.is_leader());
    EXPECT_EQ(group.member_at(0), 1U);
    EXPECT_EQ(group.place_of(4), 1U);
  });
}

TEST(Group, AGroupOfOneNodeHasNoLeadersElsewhere) {
  with_group(one_node(3), 1, {0, 1, 2}, [](Group& group) { EXPECT_FALSE(group.has_far()); });
}

TEST(Group, KnowsWhichMemberAPeIs) {
  with_group(one_node(9), 8, {8, 5, 2}, [](Group& group) {
    EXPECT_EQ(group.member_of(8), 0U);
    EXPECT_EQ(group.member_of(2), 2U);
    EXPECT_FALSE(group.member_of(3));
    EXPECT_FALSE(group.member_of(-1));
  });
  with_group(one_node(9), 3, {3, 5, 4}, [](Group& group) {
    EXPECT_EQ(group.member_of(4), 2U);
    EXPECT_FALSE(group.member_of(7));
  });
  with_group(one_node(9), 3, {3}, [](Group& group) {
    EXPECT_EQ(group.member_of(3), 0U);
    EXPECT_FALSE(group.member_of(4));
  });
}

// As teams that are made and destroyed do: each takes the same area, with later steps.
TEST(Group, AnAreaIsUsedAgainWhileOthersStillLeaveItsLastGroup) {
  for (const bool crowded : {false, true}) {
    for (const int pes : {2, 5, 9}) {
      Stage stage = one_node(pes, crowded);
      play(stage, [&](Pe& pe) {
        Step step = 0;
        for (int round = 0; round < 100; ++round) {
          const auto group = pe.group(all_of(stage), 0, step);
          auto* const value = reinterpret_cast<long*>(pe.heap());
          value[0] = round + pe.me();
          broadcast(*group, {value + 1, value, sizeof(long), static_cast<unsigned>(round % pes), true});
          EXPECT_EQ(value[1], round + round % pes);
          sync(*group);
          step = group->last_step();
        }
      });
    }
  }
}

TEST(Group, EachPartOfAWorkThatIsSharedOutIsDoneOnceAndSeenByAllThatReturn) {
  for (const int pes : {1, 2, 5, 9}) {
    Stage stage = one_node(pes, true);
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      auto* const counts = reinterpret_cast<long*>(pe.heap());  // plain words: the protocol alone orders them
      for (long round = 0; round < 100; ++round) {
        const auto parts = static_cast<unsigned>(1 + round % 12);
        sync(*group);
        group->near().share_out(parts, [&](unsigned part) {
          for (unsigned member = 0; member < group->size(); ++member)
            ++reinterpret_cast<long*>(group->at(counts, member))[part];
        });
        for (unsigned part = 0; part < 13; ++part) {
          EXPECT_EQ(counts[part], part < parts ? 1 : 0) << "part " << part << " of " << parts;
          counts[part] = 0;
        }
      }
    });
  }
}

}  // namespace
}  // namespace weir::shmem::test
