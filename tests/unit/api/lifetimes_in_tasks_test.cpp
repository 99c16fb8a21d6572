// SPDX-License-Identifier: Apache-2.0

// Blocks and watched arrays that a task destroys while tasks that it cannot wait for name them: what those use is there
// until they have ended, and nobody waits for himself. AddressSanitizer sees what is used too late.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "on_tiers.hpp"

namespace weir {
namespace {

using test::error_of;
using test::fill;
using test::spin_until;
using testing::HasSubstr;

using BlockPtr = std::shared_ptr<Block<double>>;

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class LifetimesInTasks : public test::OnTiers {
 protected:
  // A block of ones.
  BlockPtr ones(Runtime& runtime) const {
    auto block = std::make_shared<Block<double>>(runtime, kElements, "ones");
    runtime.spawn(out(*block), [](std::span<double> values) { std::ranges::fill(values, 1.0); });
    return block;
  }
  // The same, filled: tasks of different tasks have no order between them.
  BlockPtr filled(Runtime& runtime) const {
    BlockPtr block = ones(runtime);
    runtime.wait();
    return block;
  }
  static constexpr double kOnes = kElements;
};
WEIR_ON_TIERS(LifetimesInTasks);

TEST_P(LifetimesInTasks, ABlockIsKeptForSiblings) {
  Runtime runtime(options());
  std::atomic<bool> named{false};
  std::atomic<double> sums{0};
  BlockPtr block = ones(runtime);
  runtime.spawn([&] {
    spin_until(named);
    block.reset();
  });
  for (int i = 0; i < 20; ++i) runtime.spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
  named = true;
  runtime.wait();
  EXPECT_EQ(sums, 20 * kOnes);
}

// One that waited for them would wait for itself.
TEST_P(LifetimesInTasks, ABlockIsKeptForTasksThatComeAfterTheOneThatDestroysIt) {
  Runtime runtime(options());
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> named{false};
    double result = 0;
    int order = 0;
    BlockPtr block = ones(runtime);
    const Handle<> destroys = runtime.spawn(out(order), [&] {
      spin_until(named);
      block.reset();
    });
    runtime.spawn(after(destroys), in(*block), [&](std::span<const double> values) { result = sum(values); });
    runtime.spawn(in(order), inout(*block), [](const int&, std::span<double> values) { fill(values); });
    named = true;
    runtime.wait();
    EXPECT_EQ(result, kOnes);
  }
}

TEST_P(LifetimesInTasks, ABlockIsKeptForTheTaskThatNamesItAndHoldsItLast) {
  Runtime runtime(options());
  double result = 0;
  for (int round = 0; round < 20; ++round) {
    BlockPtr block = ones(runtime);
    runtime.spawn(inout(*block), inout(result), [block](std::span<double> values, double& r) mutable {
      block.reset();
      fill(values);
      r += sum(values);
    });
    BlockPtr other = ones(runtime);  // goes with the closure
    runtime.spawn(in(*other), inout(result), [other](std::span<const double> values, double& r) { r += sum(values); });
  }
  runtime.wait();
  EXPECT_EQ(result, 60 * kOnes);
}

TEST_P(LifetimesInTasks, TheLastOfManyThatHoldABlockDestroysIt) {
  Runtime runtime(options());
  std::atomic<double> sums{0};
  for (int round = 0; round < 50; ++round) {
    BlockPtr block = ones(runtime);
    for (int i = 0; i < 10; ++i)
      runtime.spawn(in(*block), [block, &sums](std::span<const double> values) { sums += sum(values); });
  }
  runtime.wait();
  EXPECT_EQ(sums, 500 * kOnes);
}

// Of 64 MiB in the file, 1 MiB of memory; each is 256 KiB: it is given back while the program runs.
TEST_P(LifetimesInTasks, TheMemoryOfThoseThatWereKeptIsUsedAgain) {
  Runtime runtime(options());
  std::atomic<double> sums{0};
  for (int round = 0; round < 1000; ++round) {
    BlockPtr block = ones(runtime);
    runtime.spawn(in(*block), [block, &sums](std::span<const double> values) { sums += sum(values.first(10)); });
    block.reset();
    if (round % 50 == 49) runtime.wait();
  }
  runtime.wait();
  EXPECT_EQ(sums, 10000);
}

TEST_P(LifetimesInTasks, ABlockThatATaskHasMadeGoesWithItWhateverElseRuns) {
  Runtime runtime(options());
  std::atomic<bool> go{false};
  std::atomic<int> runs{0};
  if (GetParam().workers > 1) runtime.spawn([&] { spin_until(go); });
  // 300 times 256 KiB are more than there is.
  runtime.spawn([&] {
    for (int round = 0; round < 300; ++round) {
      Block<double> block(runtime, kElements);
      for (int i = 0; i < 3; ++i) {
        spawn(inout(block), [&] {
          spawn(inout(block), [&](std::span<double> values) {
            fill(values.first(10));
            ++runs;
          });
        });
      }
    }
    go = true;
  });
  runtime.wait();
  EXPECT_EQ(runs, 900);
}

TEST_P(LifetimesInTasks, ABlockIsKeptForUnclesWhereAGrandchildDestroysIt) {
  Runtime runtime(options());
  std::atomic<bool> named{false};
  std::atomic<double> sums{0};
  BlockPtr block = filled(runtime);
  runtime.spawn([&] {
    spawn([&] {
      spin_until(named);
      for (int i = 0; i < 5; ++i) spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
      spawn([&, last = std::exchange(block, nullptr)]() mutable {
        spawn(in(*last), [&](std::span<const double> values) { sums += sum(values); });
        last.reset();
      });
    });
  });
  for (int i = 0; i < 5; ++i) runtime.spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
  named = true;
  runtime.wait();
  EXPECT_EQ(sums, 11 * kOnes);
}

TEST_P(LifetimesInTasks, ABlockIsKeptThatGoesWithAnExceptionOfATask) {
  Runtime runtime(options());
  std::atomic<bool> named{false};
  BlockPtr block = filled(runtime);
  runtime.spawn([&] {
    spin_until(named);
    const Block<double> mine = std::move(*block);
    spawn(in(mine), [](std::span<const double> values) { EXPECT_EQ(sum(values), kOnes); });
    throw std::runtime_error("x");
  });
  for (int i = 0; i < 20; ++i)  // cancelled, or not
    runtime.spawn(in(*block), [](std::span<const double> values) { EXPECT_EQ(sum(values), kOnes); });
  named = true;
  EXPECT_THROW(runtime.wait(), std::runtime_error);
}

TEST_P(LifetimesInTasks, CancelledTasksThatHoldBlocksGiveThemBack) {
  Runtime runtime(options());
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> named{false};
    runtime.spawn([&] {
      spin_until(named);
      throw std::runtime_error("x");
    });
    for (int i = 0; i < 10; ++i) {
      BlockPtr block = ones(runtime);
      for (int k = 0; k < 3; ++k) runtime.spawn(inout(*block), [block](std::span<double> values) { fill(values); });
    }
    named = true;
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }
}

TEST_P(LifetimesInTasks, ASpawnThatIsRefusedDestroysWhatItsClosureHolds) {
  Runtime runtime(options());
  std::atomic<double> sums{0};
  for (int round = 0; round < 10; ++round) {
    BlockPtr block = filled(runtime);
    std::atomic<int> named{0};
    for (int i = 0; i < 2; ++i)
      runtime.spawn([&] {
        spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
        ++named;
      });
    if (GetParam().workers == 1) runtime.wait();
    spin_until([&] { return named == 2; });
    int x = 0;
    EXPECT_THAT(error_of([&] { runtime.spawn(on_domain(12345), inout(x), [last = std::exchange(block, nullptr)] {}); }),
                HasSubstr("on_domain"));
    block = ones(runtime);
    Block<double> gone = std::move(*ones(runtime));
    const Block<double> there = std::move(gone);
    EXPECT_THAT(error_of([&] { runtime.spawn(in(gone), [last = std::exchange(block, nullptr)] {}); }),
                HasSubstr("moved from"));
    runtime.wait();
  }
  EXPECT_EQ(sums, 20 * kOnes);
}

TEST_P(LifetimesInTasks, AThreadThatDestroysABlockWhileOthersWaitWaits) {
  Runtime runtime(options());
  std::atomic<double> sums{0};
  for (int round = 0; round < 10; ++round) {
    BlockPtr block = ones(runtime);
    for (int i = 0; i < 20; ++i)
      runtime.spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
    std::thread other([last = std::exchange(block, nullptr)]() mutable { last.reset(); });
    runtime.wait();
    other.join();
  }
  EXPECT_EQ(sums, 200 * kOnes);
}

// The thread that has spawned the tasks runs none while it waits for the other.
TEST_P(LifetimesInTasks, AThreadThatDestroysABlockRunsItsTasksWhenNobodyElseDoes) {
  Runtime runtime(options());
  std::atomic<double> sums{0};
  for (int round = 0; round < 10; ++round) {
    BlockPtr block = ones(runtime);
    for (int i = 0; i < 20; ++i)
      runtime.spawn(in(*block), [&](std::span<const double> values) { sums += sum(values); });
    std::thread([last = std::exchange(block, nullptr)]() mutable { last.reset(); }).join();
    EXPECT_EQ(sums, (round + 1) * 20 * kOnes);
  }
}

TEST_P(LifetimesInTasks, AResultThatIsABlockGoesWithItsHandle) {
  Runtime runtime(options());
  for (int round = 0; round < 10; ++round) {
    double result = 0;
    {
      auto made = runtime.spawn([&] { return Block<double>(runtime, kElements); });
      Block<double>& block = made.get();
      runtime.spawn(out(block), [](std::span<double> values) { std::ranges::fill(values, 1.0); });
      runtime.wait();
      runtime.spawn([&result, made]() mutable {
        Block<double> mine = std::move(made.get());
        spawn(in(mine), [&result](std::span<const double> values) { result = sum(values); });
      });
      runtime.spawn([] {});
    }
    runtime.wait();
    EXPECT_EQ(result, kOnes);
  }
}

TEST_P(LifetimesInTasks, TheHalfOfAForkDestroysABlock) {
  Runtime runtime(options());
  std::atomic<bool> named{false};
  std::atomic<double> sums{0};
  BlockPtr a = ones(runtime), b = ones(runtime);
  runtime.spawn([&] {
    spin_until(named);
    fork_join([&] { a.reset(); }, [&] { b.reset(); });
  });
  for (int i = 0; i < 10; ++i)
    runtime.spawn(in(*a), in(*b),
                  [&](std::span<const double> x, std::span<const double> y) { sums += sum(x) + sum(y); });
  named = true;
  runtime.wait();
  EXPECT_EQ(sums, 20 * kOnes);
}

TEST_P(LifetimesInTasks, AdoptedMemoryHasItsContentsBackWhenAllHaveEnded) {
  Runtime runtime(options());
  std::vector<double> mine(kElements), more(16 * kElements);
  // So much that blocks move, where they can.
  auto rest = Array<double, 1>::adopt(runtime, more.data(), {more.size()}, {1}, {kElements});
  for (std::size_t i = 0; i < 8; ++i) runtime.spawn(inout(rest.tile(i)), fill);
  for (int round = 1; round <= 10; ++round) {
    std::atomic<bool> named{false};
    std::optional block = Block<double>::adopt(runtime, mine.data(), mine.size(), "mine");
    runtime.spawn([&] {
      spin_until(named);
      block.reset();
    });
    for (int i = 0; i < 10; ++i) runtime.spawn(inout(*block), fill);
    named = true;
    runtime.wait();
    EXPECT_EQ(mine, std::vector<double>(kElements, 10 * round));
  }
}

TEST_P(LifetimesInTasks, FlushNamesATaskThatItCannotWaitFor) {
  Runtime runtime(options());
  std::vector<double> mine(kElements), more(16 * kElements);
  auto rest = Array<double, 1>::adopt(runtime, more.data(), {more.size()}, {1}, {kElements});
  auto block = Block<double>::adopt(runtime, mine.data(), mine.size(), "mine");
  std::string said;
  runtime.spawn(name("user"), inout(block), [&](std::span<double> values) {
    fill(values);
    said = error_of([&] { block.flush(); });
  });
  runtime.wait();
  if (said != "no error") {
    EXPECT_THAT(said, HasSubstr("block \"mine\" while task \"user\" has not ended"));
  }
  block.flush();
  EXPECT_EQ(mine, std::vector<double>(kElements, 1));
}

TEST_P(LifetimesInTasks, ARuntimeThatEndsDisposesOfWhatIsKept) {
  std::atomic<double> sums{0};
  testing::internal::CaptureStderr();
  {
    Runtime runtime(options());
    for (int i = 0; i < 10; ++i) {
      BlockPtr block = ones(runtime);
      runtime.spawn(in(*block), [block, &sums](std::span<const double> values) { sums += sum(values); });
      runtime.spawn(in(*block), [block, &sums](std::span<const double> values) { sums += sum(values); });
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(sums, 20 * kOnes);
}

TEST_P(LifetimesInTasks, AWatchedArrayIsKeptForSiblings) {
  Runtime runtime(options());
  std::vector<int> data(10000, 1);
  std::atomic<int> total{0};
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> named{false};
    auto watched = std::make_shared<Watched<int>>(data.data(), 100, 100, 100, 10, 10);
    const Handle<> destroys = runtime.spawn([&] {
      spin_until(named);
      for (std::size_t i = 0; i < 10; ++i)
        spawn(in(watched->rows(i, 1)), [&](View2D<const int> v) { total += v(0, 99); });
      watched.reset();
    });
    for (std::size_t i = 0; i < 10; ++i) {
      runtime.spawn(in(watched->tile(10 * i, 10, 10, 20)), [&](View2D<const int> v) { total += v(9, 19); });
      runtime.spawn(after(destroys), in(watched->rows(i, 10)), [&](View2D<const int> v) { total += v(9, 99); });
      runtime.spawn(std::vector<Access>{in(watched->rows(i, 2)), in(watched->rows(i + 7, 2))},
                    [&](const Items& items) { total += items[1].view<const int>()(1, 99); });
    }
    named = true;
    runtime.wait();
  }
  EXPECT_EQ(total, 400);
}

// What lay where the array's table was is overwritten.
TEST_P(LifetimesInTasks, AnArrayIsKeptForSiblings) {
  Runtime runtime(options());
  std::atomic<double> sum{0};
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> named{false};
    auto array = std::make_unique<Array<double, 2>>(runtime, std::array<std::size_t, 2>{8, 8},
                                                    std::array<std::size_t, 2>{4, 4}, "array");
    runtime.spawn(out(array->tile(1, 1)), [](View2D<double> tile) { tile(3, 2) = 1; });
    const Handle<> destroys = runtime.spawn([&] {
      spin_until(named);
      array.reset();
      std::vector<std::unique_ptr<std::array<std::byte, 232>>> others(1000);
      for (auto& other : others) {
        other = std::make_unique<std::array<std::byte, 232>>();
        other->fill(std::byte{0x5a});
      }
    });
    runtime.spawn(after(destroys), in(array->tile(1, 1)), [&](View2D<const double> tile) {
      EXPECT_EQ(tile.rows(), 4u);
      sum += tile(3, 2);
    });
    runtime.spawn(after(destroys), std::vector<Access>{in(array->tile(1, 1))}, [&](Items items) {
      EXPECT_EQ(items[0].bytes(), 16 * sizeof(double));
      sum += items[0].view<const double>()(3, 2);
    });
    named = true;
    runtime.wait();
  }
  EXPECT_EQ(sum, 10);
}

TEST_P(LifetimesInTasks, AWatchedArrayOfSeveralRuntimesIsKept) {
  Runtime a(options()), b(options());
  std::vector<int> data(1000, 1);
  std::atomic<bool> named{false};
  std::atomic<int> total{0};
  auto watched = std::make_unique<Watched<int>>(data.data(), 10, 100, 100, 1, 10);
  b.spawn([&] {
    spin_until(named);
    watched.reset();
  });
  for (std::size_t i = 0; i < 10; ++i) {
    a.spawn(in(watched->rows(i, 1)), [&](View2D<const int> v) { total += v(0, 9); });
    b.spawn(in(watched->rows(i, 1)), [&](View2D<const int> v) { total += v(0, 9); });
  }
  named = true;
  b.wait();
  a.wait();
  EXPECT_EQ(total, 20);
}

}  // namespace
}  // namespace weir
