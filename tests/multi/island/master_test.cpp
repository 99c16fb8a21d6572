// SPDX-License-Identifier: Apache-2.0

// What tasks on islands compute, for every kind of memory and number of workers.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <vector>

#include "processes.hpp"
#include "weir/weir.hpp"

namespace weir::island {
namespace {

INSTANTIATE_TEST_SUITE_P(Kinds, OnIslands,
                         testing::Combine(testing::Values(IslandMemory::coherent, IslandMemory::flush,
                                                          IslandMemory::checked),
                                          testing::Values(1, 2, 8)),
                         name_of);

TEST_P(OnIslands, WhatATaskWritesIsThereAfterWait) {
  Master master(options());
  int* const x = master.allocate<int>(1000);
  master.spawn(out(x, 1000), [](std::span<int> s) { std::iota(s.begin(), s.end(), 5); });
  master.wait();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(x[i], i + 5);
}

TEST_P(OnIslands, ATaskSeesWhatTheProgramWroteBeforeIt) {
  Master master(options());
  int* const x = master.allocate<int>(2);
  for (int round = 1; round <= 50; ++round) {
    x[0] = round;
    master.spawn(inout(x, 2), [](std::span<int> s) { s[1] += s[0]; });
    master.wait();
    ASSERT_EQ(x[1], round * (round + 1) / 2);
  }
}

TEST_P(OnIslands, AChainRunsInItsOrder) {
  Master master(options());
  auto* const x = master.allocate<std::uint64_t>(1);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    master.spawn(inout(*x), [i](std::uint64_t& value) { value = value * 3 + i; });
    expected = expected * 3 + i;
  }
  master.wait();
  EXPECT_EQ(*x, expected);
}

// Cells share lines: the order must hold by lines. Each task's result depends on all before that it has to see.
TEST_P(OnIslands, RandomTasksGiveWhatOneAfterTheOtherGives) {
  constexpr std::size_t kCells = 60;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Master master(options(static_cast<int>(seed)));
    auto* const cells = master.allocate<std::uint64_t>(kCells);
    std::vector<std::uint64_t> expected(kCells);
    std::mt19937 random(seed);
    for (std::uint64_t i = 1; i <= 400; ++i) {
      const std::size_t from = random() % (kCells - 4), to = random() % (kCells - 3);
      const auto work = [i](std::span<const std::uint64_t> a, std::span<std::uint64_t> b) {
        std::uint64_t sum = i;
        for (const std::uint64_t value : a) sum = sum * 31 + value;
        for (std::uint64_t& value : b) value += sum;
      };
      master.spawn(in(cells + from, 4), inout(cells + to, 3), work);
      work({expected.data() + from, 4}, {expected.data() + to, 3});
      if (i % 97 == 0) {
        master.wait();
        cells[i % kCells] = expected[i % kCells] = i;
      }
    }
    master.wait();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), cells)) << "seed " << seed;
  }
}

TEST_P(OnIslands, TilesOfAWatchedArrayAreAWavefront) {
  constexpr std::size_t kSide = 96, kTile = 16;
  Master master(options());
  auto* const data = master.allocate<std::uint32_t>(kSide * kSide);
  const Watched<std::uint32_t> tiles(data, kSide, kSide, kSide, kTile, kTile);
  const auto fill = [](std::uint32_t* cells, std::size_t row, std::size_t column) {
    for (std::size_t y = row; y < row + kTile; ++y) {
      for (std::size_t x = column; x < column + kTile; ++x) {
        const std::uint32_t up = y > 0 ? cells[(y - 1) * kSide + x] : 1;
        const std::uint32_t left = x > 0 ? cells[y * kSide + x - 1] : 1;
        cells[y * kSide + x] = up * 7 + left * 3 + 1;
      }
    }
  };
  std::vector<std::uint32_t> expected(kSide * kSide);
  for (std::size_t row = 0; row < kSide; row += kTile) {
    for (std::size_t column = 0; column < kSide; column += kTile) {
      const std::size_t up = row > 0 ? kTile : 0, left = column > 0 ? kTile : 0;
      master.spawn(in(tiles.tile(row - up, column, kTile, kTile)), in(tiles.tile(row, column - left, kTile, kTile)),
                   inout(tiles.tile(row, column, kTile, kTile)), name("tile"), [=] { fill(data, row, column); });
      fill(expected.data(), row, column);
    }
  }
  master.wait();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data));
}

TEST_P(OnIslands, ASectionComesAsAView) {
  constexpr std::size_t kRows = 24, kColumns = 32, kStride = 48;
  Master master(options());
  auto* const data = master.allocate<float>(kRows * kStride);
  const Watched<float> array(data, kRows, kColumns, kStride, 8, 16);
  for (std::size_t row = 0; row < kRows; row += 8) {
    for (std::size_t column = 0; column < kColumns; column += 16) {
      const auto start = static_cast<float>(100 * row + column);
      master.spawn(out(array.tile(row, column, 8, 16)), [start](View2D<float> tile) {
        for (std::size_t y = 0; y < tile.rows(); ++y)
          for (std::size_t x = 0; x < tile.cols(); ++x) tile(y, x) = start + static_cast<float>(100 * y + x);
      });
    }
  }
  master.wait();
  for (std::size_t y = 0; y < kRows; ++y)
    for (std::size_t x = 0; x < kColumns; ++x) ASSERT_EQ(data[y * kStride + x], static_cast<float>(100 * y + x));
}

// More readers than edges are drawn for one by one: joins.
TEST_P(OnIslands, ManyReadersThenManyReadersOfAnother) {
  Master master(options());
  auto* const x = master.allocate<int>(16);
  auto* const sums = master.allocate<int>(16 * 40);
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 20; ++i) {
      master.spawn(in(x, 16), inout(sums + i * 16, 1), [](std::span<const int> a, std::span<int> s) { s[0] += a[3]; });
    }
    master.spawn(inout(x, 16), [](std::span<int> a) { a[3] += 1; });
  }
  master.wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sums[i * 16], 0 + 1 + 2);
  EXPECT_EQ(x[3], 3);
}

TEST_P(OnIslands, LargeCallablesAndLongFootprintsGoThroughSharedMemory) {
  Master master(options());
  auto* const x = master.allocate<int>(1);
  std::array<int, 1000> many{};
  std::iota(many.begin(), many.end(), 0);
  for (int i = 0; i < 30; ++i) {
    many[0] = i;
    master.spawn(inout(*x), [many](int& value) { value += std::accumulate(many.begin(), many.end(), 0); });
  }
  auto* const y = master.allocate<int>(16 * 12);
  const auto at = [y](int i) { return inout(y[16 * i]); };
  master.spawn(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), [y] {
    for (int i = 0; i < 12; ++i) y[16 * i] = i;
  });
  master.wait();
  EXPECT_EQ(*x, 30 * (999 * 1000 / 2) + 29 * 30 / 2);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(y[16 * i], i);
}

TEST_P(OnIslands, NeverMoreUnfinishedTasksThanTheThrottleAllows) {
  Options few = options();
  few.throttle = 3;
  Master master(few);
  auto* const x = master.allocate<int>(16 * 8);
  for (int i = 0; i < 600; ++i) master.spawn(inout(x[16 * (i % 8)]), [](int& value) { ++value; });
  master.wait();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(x[16 * i], 75);
}

TEST_P(OnIslands, StatisticsCountWhatWasDone) {
  Master master(options());
  auto* const x = master.allocate<double>(1000);
  for (int i = 0; i < 40; ++i) {
    master.spawn(inout(x, 1000), [](std::span<double> s) {
      for (double& value : s) value += 1;
    });
  }
  master.wait();
  const Statistics all = master.statistics();
  EXPECT_EQ(all.tasks_run, 40u);
  EXPECT_EQ(all.tasks_cancelled, 0u);
  EXPECT_EQ(all.bytes_staged, 40u * 8000);
  ASSERT_EQ(all.workers.size(), static_cast<std::size_t>(master.worker_count()));
  std::uint64_t tasks = 0;
  double running = 0;
  for (const WorkerStatistics& worker : all.workers) {
    tasks += worker.tasks;
    running += worker.running_s;
  }
  EXPECT_EQ(tasks, 40u);
  EXPECT_GT(running, 0);
}

TEST_P(OnIslands, MemoryThatIsUsedAgainIsZero) {
  Master master(options());
  for (int round = 0; round < 5; ++round) {
    auto* const x = master.allocate<int>(500);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(x[i], 0);
    master.spawn(inout(x, 500), [](std::span<int> s) {
      for (int& value : s) value += 9;
    });
    master.wait();
    for (int i = 0; i < 500; ++i) ASSERT_EQ(x[i], 9);
    master.free(x);
  }
}

// How often a process has gone to sleep.
long sleeps_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("voluntary_ctxt_switches:")) return std::stol(line.substr(line.find(':') + 1));
  return -1;
}

TEST(Islands, AWorkerWithNothingToDoSleepsUntilThereIsATask) {
  Options options = options_of(1, IslandMemory::coherent);
  options.park_after = 0;
  Master master(options);
  auto* const process = master.allocate<pid_t>(1);
  for (int round = 0; round < 20; ++round) {
    master.spawn(inout(*process), [](pid_t& own) { own = ::getpid(); });
    master.wait();
    ::usleep(1000);
  }
  const long before = sleeps_of(*process);
  ::usleep(300'000);
  EXPECT_LE(sleeps_of(*process) - before, 3) << "it went to look for tasks";
}

TEST(Islands, CommutativeTasksAreRunOneAtATime) {
  Master master(options_of(2, IslandMemory::checked));
  auto* const x = master.allocate<int>(1);
  for (int i = 0; i < 50; ++i) master.spawn(commutative(*x), [](int& value) { ++value; });
  master.wait();
  EXPECT_EQ(*x, 50);
}

TEST(Islands, TwoMastersKnowNothingOfEachOther) {
  Master first(options_of(2, IslandMemory::checked)), second(options_of(1, IslandMemory::coherent));
  auto* const a = first.allocate<int>(1);
  auto* const b = second.allocate<int>(1);
  for (int i = 0; i < 20; ++i) {
    first.spawn(inout(*a), [](int& value) { value += 1; });
    second.spawn(inout(*b), [](int& value) { value += 2; });
  }
  second.wait();
  first.wait();
  EXPECT_EQ(*a, 20);
  EXPECT_EQ(*b, 40);
}

TEST(Islands, ATaskMayUseThreadsOfItsOwn) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const sums = master.allocate<int>(32);
  for (int i = 0; i < 2; ++i) {
    master.spawn(out(sums[16 * i]), [](int& sum) {
      Options two;
      two.workers = 2;
      Runtime runtime(two);
      int left = 0, right = 0;
      runtime.spawn(out(left), [&] { left = 20; });
      runtime.spawn(out(right), [&] { right = 22; });
      runtime.wait();
      sum = left + right;
    });
  }
  master.wait();
  EXPECT_EQ(sums[0], 42);
  EXPECT_EQ(sums[16], 42);
}

// Small tiles that would all lie behind one controller.
TEST_P(OnIslands, PartsAreSpreadOverControllersAndTasksFindThem) {
  Options many = options();
  many.island_controllers = 4;
  many.island_stripe = 64;
  Master master(many);
  const Parts<int> tiles = master.allocate_parts<int>(32, 100);
  auto* const sum = master.allocate<int>(1);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    EXPECT_EQ((reinterpret_cast<std::uintptr_t>(tiles[i]) - reinterpret_cast<std::uintptr_t>(tiles[0])) / 65536 % 4,
              i % 4);
    master.spawn(out(tiles[i], 100), [i](std::span<int> s) { std::ranges::fill(s, static_cast<int>(i)); });
  }
  // A task may capture all of them.
  for (std::size_t i = 0; i < tiles.size(); ++i)
    master.spawn(in(tiles[i], 100), inout(*sum), [tiles, i](std::span<const int> s, int& to) {
      to += std::accumulate(s.begin(), s.end(), 0) + (s.data() == tiles[i] ? 1 : 0);
    });
  master.wait();
  EXPECT_EQ(*sum, 100 * (31 * 32 / 2) + 32);
  master.free(tiles.data());
}

// Where this process has mapped the file; 0: nowhere.
std::uintptr_t mapped_at(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(file) != std::string::npos) return std::stoull(line.substr(0, line.find('-')), nullptr, 16);
  return 0;
}

// So the parts i of two arrays lie behind one controller. Behind three, as a power of two is easier to get right.
TEST(Islands, PartsBeginBehindTheControllerOfTheirNumber) {
  Options many = options_of(1, IslandMemory::coherent);
  many.island_controllers = 3;
  many.island_stripe = 64;
  many.island_segment = testing::TempDir() + "weir-parts-" + std::to_string(getpid());
  Master master(many);
  const std::uintptr_t start = mapped_at(many.island_segment);
  ASSERT_NE(start, 0u);
  master.allocate<char>(100);
  for (const std::size_t length : {60'000, 100, 100'000}) {
    for (const std::size_t parts : {8, 5, 1}) {
      const Parts<char> some = master.allocate_parts<char>(parts, length);
      for (std::size_t i = 0; i < parts; ++i)
        EXPECT_EQ((reinterpret_cast<std::uintptr_t>(some[i]) - start) / 65536 % 3, i % 3) << length << ", " << i;
    }
  }
}

// Also where no program attaches: both would write to the same lines.
TEST(Islands, ASecondMasterInOneFileIsRefused) {
  const std::string file = testing::TempDir() + "weir-one-" + std::to_string(getpid());
  std::ofstream(file) << std::string(std::size_t{20} << 20, '\0');
  Options in_file = options_of(1, IslandMemory::coherent);
  in_file.island_segment = file;
  {
    Master first(in_file);
    auto* const x = first.allocate<int>(100);
    first.spawn(inout(x, 100), [](std::span<int> s) { ++s[7]; });
    EXPECT_EQ(error_of([&] { Master second(in_file); }),
              "island_segment=" + file + ": process " + std::to_string(getpid()) +
                  " is a master in it: name another file, or wait until that one has ended");
    std::ifstream read(file);  // what this process opens and closes changes nothing
    read.close();
    EXPECT_NE(error_of([&] { Master second(in_file); }), "no error");
    first.wait();
    EXPECT_EQ(x[7], 1);
  }
  EXPECT_EQ(error_of([&] { Master second(in_file); }), "no error");
  std::filesystem::remove(file);
}

// What lies in a file from before is neither a letter nor data.
TEST_P(OnIslands, ASegmentMayBeAFileThatHeldSomethingElse) {
  const std::string file = testing::TempDir() + "weir-islands-" + std::to_string(getpid());
  std::ofstream(file) << std::string(std::size_t{32} << 20, '\x01');
  Options in_file = options();
  in_file.island_segment = file;
  {
    Master master(in_file);
    std::filesystem::remove(file);
    auto* const x = master.allocate<int>(1000);
    EXPECT_EQ(std::count(x, x + 1000, 0), 1000);
    for (int i = 0; i < 20; ++i) master.spawn(inout(x, 1000), [](std::span<int> s) { ++s[7]; });
    master.wait();
    EXPECT_EQ(x[7], 20);
  }
}

}  // namespace
}  // namespace weir::island
