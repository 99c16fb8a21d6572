// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/collective.hpp"

#include <atomic>

#include "unit/shmem/group/play.hpp"

namespace weir::shmem::test {
namespace {

std::vector<Stage> stages() {
  std::vector<Stage> all;
  for (const int pes : {1, 2, 3, 8, 9}) {
    for (const bool crowded : {false, true}) all.push_back(one_node(pes, crowded));
  }
  Stage apart = one_node(5);
  apart.nodes = {0, 1, 2, 3, 4};
  all.push_back(apart);
  apart.nodes = {1, 0, 1, 0, 0};
  all.push_back(apart);
  return all;
}

TEST(Collective, NoneLeavesASyncBeforeAllHaveEnteredIt) {
  for (Stage& stage : stages()) {
    std::atomic<int> entered{0};
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      for (int round = 1; round <= 40; ++round) {
        ++entered;
        sync(*group);
        EXPECT_GE(entered.load(), round * stage.pes());
      }
    });
  }
}

TEST(Collective, ASyncPublishesWhatWasWrittenBefore) {
  for (Stage& stage : stages()) {
    std::vector<int> written(static_cast<std::size_t>(stage.pes()));
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      for (int round = 1; round <= 20; ++round) {
        written[static_cast<std::size_t>(pe.me())] = round;
        sync(*group);
        for (const int value : written) EXPECT_EQ(value, round);
        sync(*group);
      }
    });
  }
}

// The root of a small broadcast waits for nobody, but it must not overtake a slow reader's letters.
TEST(Collective, ARootThatRunsAheadLosesNothing) {
  for (Stage& stage : stages()) {
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      auto* const value = reinterpret_cast<long*>(pe.heap());
      for (long round = 0; round < 60; ++round) {
        value[0] = round;
        if (pe.me() == stage.pes() - 1 && round % 50 == 0) std::this_thread::yield();
        broadcast(*group, {value + 1, value, sizeof(long), 0, true});
        EXPECT_EQ(value[1], round);
        value[0] = -1;
      }
    });
  }
}

TEST(Collective, TheRootsDestIsWrittenOnlyWhenAskedFor) {
  for (const std::size_t count : {1U, 1000U}) {
    for (const bool write_root : {false, true}) {
      for (Stage& stage : stages()) {
        play(stage, [&](Pe& pe) {
          const auto group = pe.group(all_of(stage), 0);
          auto* const source = reinterpret_cast<int*>(pe.heap());
          int* const dest = source + count;
          std::fill_n(source, count, 7);
          std::fill_n(dest, count, 1);
          const unsigned root = group->size() - 1;
          broadcast(*group, {dest, source, count * sizeof(int), root, write_root});
          const int wanted = group->me() == root && !write_root ? 1 : 7;
          EXPECT_EQ(std::vector<int>(dest, dest + count), std::vector<int>(count, wanted));
        });
      }
    }
  }
}

// The source is used again at once, and the next collect has other sizes.
TEST(Collective, ACollectsSourcesAndSizesAreNeededByNobodyWhenItReturns) {
  for (Stage& stage : stages()) {
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      auto* const source = reinterpret_cast<int*>(pe.heap());
      int* const dest = source + 1000;
      for (int round = 0; round < 30; ++round) {
        const auto count_of = [&](int member) { return static_cast<std::size_t>((member + round) % 3 * 150); };
        std::fill_n(source, 300, round * 100 + pe.me());
        collect(*group, dest, source, count_of(pe.me()) * sizeof(int));
        std::fill_n(source, 300, -1);
        std::vector<int> wanted;
        for (int member = 0; member < stage.pes(); ++member)
          wanted.insert(wanted.end(), count_of(member), round * 100 + member);
        EXPECT_EQ(std::vector<int>(dest, dest + wanted.size()), wanted);
      }
    });
  }
}

// Those that bring nothing may give any source.
TEST(Collective, EachMemberOfACollectMayHaveASourceOfItsOwn) {
  for (const std::size_t count : {1U, 29U, 30U, 1000U}) {
    for (Stage& stage : stages()) {
      play(stage, [&](Pe& pe) {
        const auto group = pe.group(all_of(stage), 0);
        auto* const sources = reinterpret_cast<long*>(pe.heap());
        long* const dest = sources + 9 * count;
        for (int member = 0; member < stage.pes(); ++member)
          std::fill_n(sources + static_cast<std::size_t>(member) * count, count, member * 10 + pe.me());
        const bool has_part = pe.me() != 1;
        const long* const source = has_part ? sources + static_cast<std::size_t>(pe.me()) * count : nullptr;
        collect(*group, dest, source, has_part ? count * sizeof(long) : 0);
        std::vector<long> wanted;
        for (int member = 0; member < stage.pes(); ++member) {
          if (member != 1) wanted.insert(wanted.end(), count, member * 11);
        }
        EXPECT_EQ(std::vector<long>(dest, dest + wanted.size()), wanted) << count;
      });
    }
  }
}

TEST(Collective, ACollectOfNothingNeedsNoDest) {
  for (Stage& stage : stages()) {
    play(stage, [&](Pe& pe) { collect(*pe.group(all_of(stage), 0), nullptr, nullptr, 0); });
  }
}

// Numbers whose sum depends on the order: all members have the same bits, and those of the order of the members.
TEST(Collective, AFloatingSumIsThatOfTheMembersInTheirOrder) {
  for (const std::size_t count : {1U, 20U, 1000U, 40000U}) {
    for (const int pes : {2, 3, 8, 9}) {
      for (const bool crowded : {false, true}) {
        Stage stage = one_node(pes, crowded);
        std::vector<std::vector<double>> sums(static_cast<std::size_t>(pes));
        play(stage, [&](Pe& pe) {
          const auto group = pe.group(all_of(stage), 0);
          auto* const source = reinterpret_cast<double*>(pe.heap());
          for (std::size_t i = 0; i < count; ++i) source[i] = 1.0 / (1.0 + static_cast<double>(i) + pe.me() * 1e5);
          reduce(*group, {source + count, source, count, Op::sum, Type::f64});
          sums[static_cast<std::size_t>(pe.me())].assign(source + count, source + 2 * count);
        });
        for (std::size_t i = 0; i < count; ++i) {
          double wanted = 0;
          for (int pe = 0; pe < pes; ++pe) wanted += 1.0 / (1.0 + static_cast<double>(i) + pe * 1e5);
          for (const auto& sum : sums) ASSERT_EQ(sum[i], wanted) << i << " of " << count << ", " << pes << " PEs";
        }
      }
    }
  }
}

TEST(Collective, FloatingSumsBetweenNodesHaveTheSameBitsOnAllMembers) {
  for (const std::size_t count : {1U, 20U, 1000U, 40000U}) {
    Stage stage = one_node(5);
    stage.nodes = {1, 0, 1, 0, 2};
    std::vector<std::vector<double>> sums(5);
    play(stage, [&](Pe& pe) {
      const auto group = pe.group(all_of(stage), 0);
      auto* const source = reinterpret_cast<double*>(pe.heap());
      for (std::size_t i = 0; i < count; ++i) source[i] = 1.0 / (1.0 + static_cast<double>(i) + pe.me() * 1e5);
      reduce(*group, {source + count, source, count, Op::sum, Type::f64});
      sums[static_cast<std::size_t>(pe.me())].assign(source + count, source + 2 * count);
    });
    for (const auto& sum : sums) EXPECT_EQ(sum, sums[0]);
  }
}

TEST(Collective, NothingMovesWhenThereIsNothing) {
  Stage stage = one_node(3);
  play(stage, [&](Pe& pe) {
    const auto group = pe.group(all_of(stage), 0);
    auto* const source = reinterpret_cast<int*>(pe.heap());
    int* const dest = source + 1;
    *dest = 5;
    broadcast(*group, {dest, source, 0, 0, true});
    fcollect(*group, dest, source, 0);
    collect(*group, dest, source, 0);
    alltoall(*group, dest, source, 0);
    alltoalls(*group, {dest, source, 1, 1, 0, sizeof(int)});
    reduce(*group, {dest, source, 0, Op::sum, Type::i32});
    inclusive_scan(*group, {dest, source, 0, Op::sum, Type::i32});
    exclusive_scan(*group, {dest, source, 0, Op::sum, Type::i32});
    EXPECT_EQ(*dest, 5);
  });
}

// Each thread of a PE has a group of its own with the threads of the other PEs.
TEST(Collective, GroupsOfDifferentThreadsDoNotDisturbOneAnother) {
  Stage stage = one_node(3);
  stage.nodes = {0, 1, 0};
  play(stage, [&](Pe& pe) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        const auto group = pe.group(all_of(stage), i);
        auto* const value = reinterpret_cast<long*>(pe.heap() + i * 1024);
        for (long round = 0; round < 60; ++round) {
          value[0] = round + static_cast<long>(i) * pe.me();
          reduce(*group, {value + 1, value, 1, Op::max, Type::i64});
          EXPECT_EQ(value[1], round + static_cast<long>(i) * 2);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

}  // namespace
}  // namespace weir::shmem::test
