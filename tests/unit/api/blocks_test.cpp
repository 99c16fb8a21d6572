// SPDX-License-Identifier: Apache-2.0

// Blocks and arrays in footprints: what tasks get, in one tier, in two, and when the fast one is too small.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "weir/weir.hpp"

namespace weir {
namespace {

struct Case {
  const char* name;
  const char* tiers;
  Strategy strategy;
  Evict evict;
};

Options options_for(const Case& c, int workers = 2) {
  Options options;
  options.workers = workers;
  options.tiers = c.tiers;
  options.strategy = c.strategy;
  options.evict = c.evict;
  options.chains = Chains::on;  // of those of three tiers
  return options;
}

class Blocks : public testing::TestWithParam<Case> {};

constexpr const char* kOne = "memory=64MiB";
constexpr const char* kSlow = "memory=1MiB,emulated=64MiB@1";
constexpr const char* kFile = "memory=1MiB,file=/tmp:64MiB";
constexpr const char* kThree = "memory=1MiB,emulated=4MiB@1,file=/tmp:64MiB";
constexpr const char* kLargeFile = "memory=8MiB,file=/tmp:64MiB";  // off leaves an eighth for what is in the file

INSTANTIATE_TEST_SUITE_P(Strategies, Blocks,
                         testing::Values(Case{"one_tier", kOne, Strategy::ahead, Evict::next_use},
                                         Case{"slow_off", kSlow, Strategy::off, Evict::lru},
                                         Case{"slow_inline", kSlow, Strategy::inline_, Evict::refcount},
                                         Case{"slow_single", kSlow, Strategy::single, Evict::lru},
                                         Case{"slow_multi", kSlow, Strategy::multi, Evict::next_use},
                                         Case{"slow_ahead", kSlow, Strategy::ahead, Evict::next_use},
                                         Case{"slow_ahead_refcount", kSlow, Strategy::ahead, Evict::refcount},
                                         Case{"file_off", kLargeFile, Strategy::off, Evict::next_use},
                                         Case{"file_inline", kFile, Strategy::inline_, Evict::next_use},
                                         Case{"file_single", kFile, Strategy::single, Evict::refcount},
                                         Case{"file_multi", kFile, Strategy::multi, Evict::lru},
                                         Case{"file_ahead", kFile, Strategy::ahead, Evict::next_use},
                                         Case{"three_inline", kThree, Strategy::inline_, Evict::refcount},
                                         Case{"three_multi", kThree, Strategy::multi, Evict::lru},
                                         Case{"three_ahead", kThree, Strategy::ahead, Evict::next_use},
                                         Case{"three_model", kThree, Strategy::model, Evict::next_use},
                                         Case{"file_ahead_lru", kFile, Strategy::ahead, Evict::lru}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Blocks, AreWhatTheLastTaskWroteWhereverTheyHaveBeen) {
  constexpr std::size_t kElements = 64 << 10, kBlocks = 24;  // 12 MiB of 512 KiB each
  Runtime runtime(options_for(GetParam()));
  std::vector<Block<double>> blocks;
  for (std::size_t b = 0; b < kBlocks; ++b) blocks.emplace_back(runtime, kElements, "b");
  for (std::size_t b = 0; b < kBlocks; ++b) {
    runtime.spawn(out(blocks[b]), [b](std::span<double> x) { std::fill(x.begin(), x.end(), double(b)); });
  }
  for (int round = 1; round <= 3; ++round) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
      runtime.spawn(inout(blocks[b]), in(blocks[(b + 1) % kBlocks]),
                    [](std::span<double> x, std::span<const double> y) {
                      for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
                    });
    }
  }
  std::vector<double> expected(kBlocks);
  std::iota(expected.begin(), expected.end(), 0.0);
  for (int round = 1; round <= 3; ++round) {
    for (std::size_t b = 0; b < kBlocks; ++b) expected[b] += expected[(b + 1) % kBlocks];
  }
  std::array<double, kBlocks> wrong{};
  for (std::size_t b = 0; b < kBlocks; ++b) {
    runtime.spawn(in(blocks[b]), out(wrong[b]), [&, b](std::span<const double> x, double& count) {
      count = double(std::count_if(x.begin(), x.end(), [&](double v) { return v != expected[b]; }));
    });
  }
  runtime.wait();
  EXPECT_EQ(std::accumulate(wrong.begin(), wrong.end(), 0.0), 0.0);
  const TierStatistics statistics = runtime.tier_statistics();
  for (const TierReport& tier : statistics.tiers) EXPECT_LE(tier.peak, tier.budget);
  const std::string tiers = GetParam().tiers;
  if (tiers == kOne) {
    EXPECT_EQ(statistics.bytes_fetched, 0u);
  } else if (GetParam().strategy != Strategy::off || tiers == kLargeFile) {
    EXPECT_GT(statistics.bytes_fetched, 0u);
  }
}

Options three_tiers(const char* tiers, Chains chains) {
  Options options;
  options.workers = 1;
  options.tiers = tiers;
  options.chains = chains;
  return options;
}

// Blocks that nobody uses live in the second tier, and those that are used in the file, all but one of them without a
// chain. The first tier has room for two of these, and the second, in a chain, for four: homes leave a fourth of it,
// and a block that is on its way has a place in both.
std::uint64_t most_bytes_in_file(Chains chains) {
  Runtime runtime(three_tiers("memory=1MiB,emulated=6MiB@1,file=/tmp:64MiB", chains));
  std::vector<Block<char>> unused, used;
  for (int b = 0; b < 16; ++b) unused.emplace_back(runtime, std::size_t{350} << 10, "unused");
  for (int b = 0; b < 3; ++b) used.emplace_back(runtime, std::size_t{350} << 10, "used");
  for (int round = 0; round < 3; ++round)
    for (const auto& block : used) runtime.spawn(inout(block), [](std::span<char> x) { ++x.front(); });
  runtime.wait();
  std::uint64_t bytes = 0;
  for (const TierReport& tier : runtime.tier_statistics().tiers) bytes += tier.tier == "file" ? tier.peak : 0;
  return bytes;
}

TEST(BlocksInAChain, OfTiersDoNotGoToTheFileWhileTheMemoryBetweenHasRoom) {
  EXPECT_GT(most_bytes_in_file(Chains::off), 0u);
  EXPECT_EQ(most_bytes_in_file(Chains::on), 0u);
}

// Together more than the first tier has, and a file cannot be used in place.
std::string seen_of_both(Chains chains) {
  Runtime runtime(three_tiers("memory=1MiB,emulated=16MiB@1,file=/tmp:64MiB", chains));
  std::vector<Block<char>> others;  // live in the second tier, in a chain but for a fourth of it
  for (int o = 0; o < 16; ++o) others.emplace_back(runtime, std::size_t{1000} << 10, "others");
  const Block<char> a(runtime, std::size_t{700} << 10, "a"), b(runtime, std::size_t{700} << 10, "b");
  runtime.spawn(out(a), [](std::span<char> x) { x.back() = 'a'; });
  runtime.spawn(out(b), [](std::span<char> x) { x.back() = 'b'; });
  std::string seen;
  runtime.spawn(in(a), in(b), [&seen](std::span<const char> x, std::span<const char> y) {
    seen = {x.back(), y.back()};
  });
  try {
    runtime.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return seen;
}

TEST(BlocksInAChain, ThatNeverFitInTheFirstTierTogetherAreUsedInTheNext) {
  EXPECT_EQ(seen_of_both(Chains::on), "ab");
  const std::string off = seen_of_both(Chains::off);
  EXPECT_NE(off.find("in tier memory"), std::string::npos) << off;
}

TEST_P(Blocks, OfAnArrayAreTilesWithTheirOwnExtents) {
  Runtime runtime(options_for(GetParam()));
  Array<double, 3> a(runtime, {5, 70, 300}, {2, 32, 128}, "a");
  ASSERT_EQ(a.tiles(), (std::array<std::size_t, 3>{3, 3, 3}));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        runtime.spawn(out(a.tile(i, j, k)), [=](View3D<double> t) {
          for (std::size_t x = 0; x < t.planes(); ++x)
            for (std::size_t y = 0; y < t.rows(); ++y)
              for (std::size_t z = 0; z < t.cols(); ++z)
                t(x, y, z) = double((2 * i + x) * 1000000 + (32 * j + y) * 1000 + 128 * k + z);
        });
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        runtime.spawn(in(a.tile(i, j, k)), inout(sum), inout(count), [&, i, j, k] {
          const View3D<const double> t = [&] {
            const auto v = a.tile(i, j, k).view();
            return View3D<const double>(v.data(), v.planes(), v.rows(), v.cols(), v.plane_stride(), v.stride());
          }();
          for (std::size_t x = 0; x < t.planes(); ++x)
            for (std::size_t y = 0; y < t.rows(); ++y)
              for (std::size_t z = 0; z < t.cols(); ++z) sum += t(x, y, z), ++count;
        });
  runtime.wait();
  double expected = 0;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 70; ++y)
      for (int z = 0; z < 300; ++z) expected += x * 1000000.0 + y * 1000.0 + z;
  EXPECT_EQ(count, 5u * 70u * 300u);
  EXPECT_EQ(sum, expected);
}

TEST_P(Blocks, OfAnArrayAccumulate) {
  Runtime runtime(options_for(GetParam()));
  Array<long, 2> sums(runtime, {4, 6}, {2, 3}, "sums");
  for (std::size_t i = 0; i < 2; ++i) {
    runtime.spawn(out(sums.tile(i, i)), [](View2D<long> t) { std::fill_n(t.data(), 6, 1); });
    for (long n = 1; n <= 10; ++n)
      runtime.spawn(reduce(sums.tile(i, i), std::plus<>(), 0), [n](View2D<long> t) { t(1, 2) += n; });
    runtime.spawn(reduce(sums.tile(i, i), std::multiplies<>(), 1), [](View2D<long> t) { t(1, 2) *= 3; });
    runtime.spawn(in(sums.tile(i, i)), [](View2D<const long> t) {
      EXPECT_EQ(t(1, 2), 3 * 56);
      EXPECT_EQ(t(0, 0), 1);
    });
  }
  runtime.wait();
}

TEST(BlocksOfAnArray, BeyondItsLastEndTheProcessWithAMessage) {
  Runtime runtime;
  Array<double, 2> a(runtime, {64, 40}, {16, 16}, "a");
  EXPECT_DEATH(static_cast<void>(a.tile(4, 0)), R"(array "a" has no tile\(4, 0\): it has 4 x 3 tiles)");
  EXPECT_DEATH(static_cast<void>(a.tile(0, 3)), R"(no tile\(0, 3\))");
  EXPECT_DEATH(static_cast<void>(a.tile(-1, 0)), R"(no tile\(-1, 0\))");
}

TEST(BlocksOfAnArray, HaveElements) {
  Runtime runtime;
  EXPECT_THROW((Array<double, 2>(runtime, {64, 64}, {0, 16}, "a")), Error);
  EXPECT_THROW((Array<double, 2>(runtime, {64, 0}, {16, 16}, "a")), Error);
}

TEST_P(Blocks, AreUsedByChildrenWhileTheirParentHoldsThem) {
  Runtime runtime(options_for(GetParam()));
  std::vector<Block<int>> blocks;
  for (int b = 0; b < 12; ++b) blocks.emplace_back(runtime, 100 << 10, "b");
  for (int b = 0; b < 12; ++b) {
    runtime.spawn(inout(blocks[std::size_t(b)]), [&, b] {
      spawn(out(blocks[std::size_t(b)]), [b](std::span<int> x) { std::fill(x.begin(), x.end(), b); });
      spawn(inout(blocks[std::size_t(b)]), [](std::span<int> x) {
        for (int& v : x) ++v;
      });
      wait();
      EXPECT_EQ(blocks[std::size_t(b)].data()[5], b + 1);
    });
  }
  int sum = 0;
  for (auto& block : blocks)
    runtime.spawn(in(block), inout(sum), [&sum](std::span<const int> x, int&) { sum += x.back(); });
  runtime.wait();
  EXPECT_EQ(sum, 78);
}

TEST_P(Blocks, AdoptedGoBackToTheProgramsMemory) {
  std::vector<float> mine(64 * 100, 1.0f), line(5000, 2.0f);
  {
    Runtime runtime(options_for(GetParam()));
    auto a = Array<float, 2>::adopt(runtime, mine.data(), {60, 90}, {100, 1}, {32, 40}, "a");
    auto b = Block<float>::adopt(runtime, line.data(), line.size(), "b");
    for (std::size_t i = 0; i < a.tiles()[0]; ++i)
      for (std::size_t j = 0; j < a.tiles()[1]; ++j)
        runtime.spawn(inout(a.tile(i, j)), in(b), [](View2D<float> t, std::span<const float> v) {
          for (std::size_t y = 0; y < t.rows(); ++y)
            for (std::size_t x = 0; x < t.cols(); ++x) t(y, x) += v[0];
        });
    runtime.spawn(inout(b), [](std::span<float> v) { v[4999] = 9; });
    runtime.wait();
    b.flush();
    EXPECT_EQ(line[4999], 9.0f);
  }
  for (std::size_t y = 0; y < 64; ++y)
    for (std::size_t x = 0; x < 100; ++x) ASSERT_EQ(mine[y * 100 + x], y < 60 && x < 90 ? 3.0f : 1.0f) << y << ' ' << x;
}

TEST(BlocksTooLarge, FailWhereTheyAreMadeNamingEveryTier) {
  Options options;
  options.tiers = "memory=1MiB,file=/tmp:8MiB";
  Runtime runtime(options);
  try {
    Block<char> block(runtime, 16 << 20, "huge");
    FAIL() << "there is no room for it";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"huge\""), std::string::npos) << text;
    EXPECT_NE(text.find("16 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("memory 1 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("file 8 MiB"), std::string::npos) << text;
  }
}

std::string error_of_blocks(const char* tiers, std::size_t bytes, int most) {
  Options options;
  options.tiers = tiers;
  Runtime runtime(options);
  std::vector<Block<char>> blocks;
  try {
    for (int i = 0; i < most; ++i) blocks.emplace_back(runtime, bytes, "b");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(BlocksTooLarge, ForMemoryWhereAFileHasRoomAreToldWhatHelps) {
  const std::string text = error_of_blocks("memory=1MiB,file=/tmp:64MiB", 16 << 20, 1);
  EXPECT_NE(
      text.find("; tasks use it in memory: give memory at least 16 MiB with --tiers or WEIR_TIERS, or make smaller "
                "blocks of it (weir::Array)"),
      std::string::npos)
      << text;
}

TEST(BlocksTooLarge, SmallOnesTakePagesWhereThereIsAFile) {
  const std::string text = error_of_blocks("memory=1MiB,file=/tmp:1MiB", 64, 1000);
  EXPECT_NE(text.find("where there is a file tier a block takes whole pages of 4 KiB); give the file tier more"),
            std::string::npos)
      << text;
}

TEST(BlocksOfOneTask, MayBeMoreThan64) {
  Options options;
  options.tiers = "memory=2MiB,file=/tmp:64MiB";
  Runtime runtime(options);
  constexpr std::size_t kCount = 100;
  std::vector<Block<int>> blocks;
  for (std::size_t i = 0; i < 4 * kCount; ++i) blocks.emplace_back(runtime, 4096, "b");  // 6.25 MiB
  std::vector<Access> items;
  for (std::size_t i = 0; i < kCount; ++i) items.push_back(out(blocks[3 * i]));
  runtime.spawn(items, [](Items written) {
    for (std::size_t i = 0; i < written.size(); ++i) written[i].span<int>()[7] = static_cast<int>(i);
  });
  const auto spawn_by_name = [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    runtime.spawn(inout(blocks[3 * kIndex])..., [&blocks] { (++blocks[3 * kIndex].data()[7], ...); });
  };
  spawn_by_name(std::make_index_sequence<70>());
  int right = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    runtime.spawn(in(blocks[3 * i]), inout(right),
                  [i](std::span<const int> block, int& count) { count += block[7] == int(i) + (i < 70 ? 1 : 0); });
  }
  runtime.wait();
  EXPECT_EQ(right, int{kCount});
}

TEST(BlocksTooLarge, ForTheFastTierTogetherRunInPlaceWithAWarningOrFailWithAnError) {
  for (const Overflow overflow : {Overflow::in_place, Overflow::refuse}) {
    Options options;
    options.tiers = "memory=1MiB,emulated=8MiB@1";
    options.overflow = overflow;
    Runtime runtime(options);
    Block<char> a(runtime, 700 << 10, "a"), b(runtime, 700 << 10, "b");
    const char* const called = overflow == Overflow::refuse ? "" : "both";
    runtime.spawn(out(a), out(b), name(called), [](std::span<char> x, std::span<char> y) { x[0] = 'x', y[0] = 'y'; });
    if (overflow == Overflow::refuse) {
      try {
        runtime.wait();
        FAIL() << "it cannot run";
      } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("a task without a name (its first block: \"a\"), spawned at "), std::string::npos) << text;
        const bool has_line = text.find("blocks_test.cpp:") != std::string::npos;
        EXPECT_TRUE(has_line || text.find("BlocksTooLarge_") != std::string::npos) << text;
        EXPECT_NE(text.find("memory"), std::string::npos) << text;
      }
      continue;
    }
    char seen[2] = {};
    runtime.spawn(in(a), out(seen), [&](std::span<const char> x, auto&) { seen[0] = x[0]; });
    runtime.wait();
    runtime.spawn(in(b), [&](std::span<const char> y) { seen[1] = y[0]; });
    runtime.wait();
    EXPECT_EQ(seen[0], 'x');
    EXPECT_EQ(seen[1], 'y');
    EXPECT_EQ(runtime.tier_statistics().in_place_runs, 1u);
  }
}

TEST(BlocksTooLarge, ForATaskWithBlocksInAFileFailItAndNoOther) {
  Options options;
  options.tiers = "memory=1MiB,file=/tmp:8MiB";
  Runtime runtime(options);
  Block<char> a(runtime, 700 << 10, "a"), b(runtime, 700 << 10, "b");
  runtime.spawn(out(a), [](std::span<char> x) { x[0] = 'x'; });
  runtime.wait();
  runtime.spawn(inout(a), out(b), name("both"), [](std::span<char>, std::span<char>) { FAIL(); });
  EXPECT_THROW(runtime.wait(), Error);
  char seen = 0;
  runtime.spawn(in(a), [&](std::span<const char> x) { seen = x[0]; });
  runtime.wait();
  EXPECT_EQ(seen, 'x');
}

// ---- Tasks within tasks that want more than those hold ----

class BlocksWithin : public testing::TestWithParam<int> {
 protected:
  Options options(Strategy strategy) const {
    Options result;
    result.tiers = kFile;
    result.strategy = strategy;
    result.workers = GetParam();
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, BlocksWithin, testing::Values(1, 2, 8), testing::PrintToStringParamName());

// Each fits beside the one task around it; not all of them, nor two beside two.
TEST_P(BlocksWithin, AlwaysRunWhenTheyFitBesideTheTasksAroundThem) {
  constexpr int kOuter = 6;
  for (const Strategy strategy : {Strategy::inline_, Strategy::single, Strategy::ahead}) {
    Runtime runtime(options(strategy));
    std::vector<Block<char>> outer, inner, others;
    for (int i = 0; i < kOuter; ++i) {
      outer.emplace_back(runtime, 300 << 10, "outer");
      inner.emplace_back(runtime, 500 << 10, "inner");
      others.emplace_back(runtime, 700 << 10, "other");
    }
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < kOuter; ++i) {
        Block<char>& within = inner[i];
        const auto letter = static_cast<char>('a' + round);
        runtime.spawn(out(outer[i]), [&within, letter](std::span<char> x) {
          weir::spawn([&within, letter] {
            weir::spawn(out(within), [letter](std::span<char> y) { std::fill(y.begin(), y.end(), letter); });
          });
          weir::wait();
          x.front() = x.back() = letter;
        });
        runtime.spawn(out(others[i]), [](std::span<char> x) { x[0] = 'x'; });
      }
      runtime.wait();
    }
    int wrong = 0;
    for (std::size_t i = 0; i < kOuter; ++i)
      runtime.spawn(in(outer[i]), in(inner[i]), inout(wrong),
                    [](std::span<const char> x, std::span<const char> y, int& w) {
                      for (const char letter : {x.front(), x.back(), y.front(), y.back()}) w += letter != 'c' ? 1 : 0;
                    });
    runtime.wait();
    EXPECT_EQ(wrong, 0);
    const TierStatistics seen = runtime.tier_statistics();
    EXPECT_EQ(seen.failures, 0u);
    for (const TierReport& tier : seen.tiers) EXPECT_LE(tier.peak, tier.budget);
  }
}

// The thread of a task that holds room and waits runs another on top of it. That one's child wants the room: nobody
// is in the other's way when it only makes the child, and does not wait for it.
TEST_P(BlocksWithin, HoldUpNobodyBeneathTheTaskThatMadeThemUnlessItWaits) {
  for (const bool waits : {false, true}) {
    Runtime runtime(options(Strategy::single));
    Block<char> held(runtime, 600 << 10, "held"), within(runtime, 400 << 10, "within");
    Block<char> wanted(runtime, 600 << 10, "wanted"), other(runtime, 400 << 10, "other");
    for (Block<char>* const b : {&held, &within, &wanted, &other})
      runtime.spawn(out(*b), [](std::span<char> x) { x[0] = 'a'; });
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
      runtime.wait();
      runtime.spawn(in(held), in(other), [](std::span<const char>, std::span<const char>) {});
      runtime.wait();
      runtime.spawn([&wanted, waits] {
        weir::spawn(inout(wanted), [](std::span<char> x) { ++x[0]; });
        if (waits) weir::wait();
      });
      runtime.spawn(inout(held), [&within](std::span<char> x) {
        weir::spawn([&within] {
          weir::spawn(inout(within), [](std::span<char> y) { ++y[0]; });  // has to be fetched
        });
        weir::wait();
        ++x[0];
      });
    }
    char seen[3] = {};
    runtime.wait();
    for (const auto& [block, at] : {std::pair{&held, 0}, {&within, 1}, {&wanted, 2}})
      runtime.spawn(in(*block), [to = seen + at](std::span<const char> x) { *to = x[0]; });
    runtime.wait();
    for (const char letter : seen) EXPECT_EQ(letter, 'a' + kRounds);
    const TierStatistics statistics = runtime.tier_statistics();
    EXPECT_EQ(statistics.failures, 0u);
    if (!waits) {
      EXPECT_EQ(statistics.in_place_runs, 0u);
    }
  }
}

TEST_P(BlocksWithin, AlwaysFailWhenTheyDoNotFitBesideTheTasksAroundThem) {
  for (int round = 0; round < 10; ++round) {
    Runtime runtime(options(Strategy::ahead));
    Block<char> a(runtime, 700 << 10, "a"), b(runtime, 600 << 10, "b"), c(runtime, 600 << 10, "c");
    runtime.spawn(out(c), [](std::span<char> x) { x[0] = 'x'; });
    runtime.wait();
    runtime.spawn(in(c), [](std::span<const char>) {});
    runtime.spawn(out(a), name("outer"), [&b](std::span<char>) {
      weir::spawn([&b] { weir::spawn(out(b), name("inner"), [](std::span<char>) { FAIL(); }); });
    });
    runtime.spawn(in(c), [](std::span<const char>) {});
    try {
      runtime.wait();
      FAIL() << "it cannot run";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(
          text,
          "task \"inner\" needs 600 KiB of blocks in tier memory at the same time, 600 KiB of them in addition to 700 "
          "KiB that the tasks it was made in hold until it has ended (the nearest is \"outer\"), which can give "
          "1 MiB; give the tier more with --tiers or WEIR_TIERS, or make smaller blocks, or name less in the footprint "
          "of a task around it");
    }
  }
}

TEST(BlocksOfTheFirstTier, CanStillLeaveItWhenLaterOnesNeedRoom) {
  Options options;
  options.tiers = "memory=1MiB,file=/tmp:16MiB";
  Runtime runtime(options);
  std::vector<Block<int>> blocks;
  for (int b = 0; b < 3; ++b) {  // these fit: nothing is tracked
    blocks.emplace_back(runtime, 64 << 10, "first");
    runtime.spawn(out(blocks.back()), [b](std::span<int> x) { std::fill(x.begin(), x.end(), b); });
  }
  for (int b = 3; b < 16; ++b) {
    blocks.emplace_back(runtime, 64 << 10, "later");
    runtime.spawn(out(blocks.back()), in(blocks[std::size_t(b - 3)]), [](std::span<int> x, std::span<const int> y) {
      std::transform(y.begin(), y.end(), x.begin(), [](int v) { return v + 3; });
    });
  }
  int wrong = 0;
  for (int b = 0; b < 16; ++b) {
    runtime.spawn(in(blocks[std::size_t(b)]), inout(wrong), [b](std::span<const int> x, int& w) {
      w += int(std::count_if(x.begin(), x.end(), [b](int v) { return v != b; }));
    });
  }
  runtime.wait();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weir
