// SPDX-License-Identifier: Apache-2.0

// Ranges of items and of handles whose length is known at run time: ordered, given and checked as fixed items are.
#include <array>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::Counted;

class RangesOfItems : public test::ForWorkers {};
WEIR_FOR_WORKERS(RangesOfItems);

// Every length around those where the items, or what a task keeps of them, move from the stack or the task to the heap.
constexpr std::size_t kLengths[] = {0, 1, 2, 3, 4, 8, 15, 16, 17, 24, 25, 40, 64, 65, 300, 1200};

TEST_P(RangesOfItems, OrderTasksAsTheirItemsWouldOneByOne) {
  constexpr std::size_t kCells = 40, kTasks = 3000;
  Runtime runtime(options());
  std::mt19937 random(7);
  std::vector<std::uint64_t> cells(kCells, 1), expected(kCells, 1);
  for (std::size_t t = 0; t < kTasks; ++t) {
    const std::size_t to = random() % kCells;
    std::vector<std::size_t> from(random() % 6);
    for (std::size_t& f : from) f = random() % kCells;
    std::vector<Access> footprint;
    for (const std::size_t f : from) footprint.push_back(in(cells[f]));
    const auto step = [to, from, t](std::vector<std::uint64_t>& c) {
      std::uint64_t sum = t;
      for (const std::size_t f : from) sum = sum * 31 + c[f];
      c[to] = c[to] * 17 + sum;
    };
    step(expected);
    if (random() % 2 == 0) {
      runtime.spawn(footprint, inout(cells[to]), [step, &cells] { step(cells); });
    } else {
      footprint.push_back(inout(cells[to]));
      runtime.spawn(std::span<const Access>(footprint), [step, &cells] { step(cells); });
    }
  }
  runtime.wait();
  EXPECT_EQ(cells, expected);
}

TEST_P(RangesOfItems, OfAnyLengthArriveWholeBesideFixedItemsAndAttributes) {
  Runtime runtime(options());
  std::vector<int> numbers(1200);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  for (const std::size_t length : kLengths) {
    std::vector<Access> first, second;
    for (std::size_t i = 0; i < length; ++i) first.push_back(in(numbers[i]));
    for (std::size_t i = 0; i < length / 2; ++i) second.push_back(in(numbers.data() + 2 * i, 2));
    int x = 0, y = 5;
    runtime.spawn(inout(x), first, name("both"), in(y), second, Priority::urgent,
                  [&, length](int& a, Items items, const int& b, const Items& pairs) {
                    EXPECT_EQ(&a, &x);
                    EXPECT_EQ(&b, &y);
                    ASSERT_EQ(items.size(), length);
                    ASSERT_EQ(pairs.size(), length / 2);
                    EXPECT_EQ(items.empty(), length == 0);
                    for (std::size_t i = 0; i < length; ++i) {
                      EXPECT_EQ(items[i].span<const int>().data(), &numbers[i]);
                      EXPECT_EQ(items[i].bytes(), sizeof(int));
                      EXPECT_EQ(items[i].mode(), Mode::in);
                    }
                    for (std::size_t i = 0; i < length / 2; ++i) EXPECT_EQ(pairs[i].span<const int>().size(), 2u);
                    a = 1;
                  });
    first.clear();
    second.clear();  // the task has its own copy
    runtime.wait();
    EXPECT_EQ(x, 1);
  }
}

TEST_P(RangesOfItems, MayBeArraysSpansAndVectorsOfAllModes) {
  Runtime runtime(options());
  int a = 0, b = 0, c = 0;
  const Access both[] = {out(a), out(b)};
  const std::array<Access, 2> later = {in(a), inout(b)};
  runtime.spawn(both, [&] { a = b = 1; });
  runtime.spawn(later, [&] { b += a; });
  std::vector<Access> any{concurrent(a), commutative(b)};
  runtime.spawn(any, [&] { b += 10; });
  runtime.spawn(std::span(any).subspan(1), [&] { b += 10; });
  any = {in(b), out(c)};
  runtime.spawn(any, [](Items items) { items[1].span<int>()[0] = items[0].span<const int>()[0]; });
  runtime.wait();
  EXPECT_EQ(c, 22);
}

TEST_P(RangesOfItems, StandBesideReductions) {
  Runtime runtime(options());
  int sum = 0;
  std::array<int, 10> values{};
  for (int i = 0; i < 10; ++i) {
    std::vector<Access> items{out(values[static_cast<std::size_t>(i)])};
    runtime.spawn(items, reduce(sum, std::plus<>(), 0), [i](Items mine, int& part) {
      mine[0].span<int>()[0] = i;
      part += i;
    });
  }
  runtime.wait();
  EXPECT_EQ(sum, 45);
  EXPECT_EQ(values[9], 9);
  static_assert(!std::is_convertible_v<decltype(reduce(sum, std::plus<>(), 0)), Access>);
}

TEST_P(RangesOfItems, GiveSectionsOfWatchedArraysWithTheirStride) {
  Runtime runtime(options());
  std::array<int, 6 * 10> data{};
  const Watched<int> grid(data.data(), 6, 8, 10, 2, 4);
  std::vector<Access> items{out(grid.tile(1, 3, 4, 2)), inout(grid.rows(5, 1))};
  runtime.spawn(items, [&](Items tiles) {
    const View2D<int> view = tiles[0].view<int>();
    EXPECT_EQ(view.rows(), 4u);
    EXPECT_EQ(view.cols(), 2u);
    EXPECT_EQ(view.stride(), 10u);
    EXPECT_EQ(view.data(), &data[13]);
    EXPECT_EQ(tiles[0].bytes(), 8 * sizeof(int));
    EXPECT_EQ(tiles[1].span<const int>().size(), 8u);
    EXPECT_EQ(tiles[1].view<int>().cols(), 8u);
    view(3, 1) = 4;
  });
  int seen = 0;
  runtime.spawn(in(grid.tile(4, 4, 1, 1)), out(seen), [&] { seen = data[44]; });  // the same block
  runtime.wait();
  EXPECT_EQ(seen, 4);
}

template <std::size_t kBytes>
struct Large {
  std::array<unsigned char, kBytes> bytes{};
};

TEST_P(RangesOfItems, StandBesideCallablesOfAllSizes) {
  Runtime runtime(options());
  std::vector<int> numbers(300);
  int y = 0;
  auto spawn_one = [&]<std::size_t kBytes>(std::integral_constant<std::size_t, kBytes>) {
    for (const std::size_t length : {3u, 17u, 300u}) {
      std::array<unsigned char, kBytes> pattern;
      pattern.fill(static_cast<unsigned char>(kBytes));
      std::vector<Access> items;
      for (std::size_t i = 0; i < length; ++i) items.push_back(inout(numbers[i]));
      runtime.spawn(items, inout(y), [pattern](Items all, int& count) {
        for (const unsigned char c : pattern) EXPECT_EQ(c, static_cast<unsigned char>(kBytes));
        for (std::size_t i = 0; i < all.size(); ++i) ++all[i].span<int>()[0];
        ++count;
      });
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (spawn_one(std::integral_constant<std::size_t, 1 + 67 * I>{}), ...);
  }
  (std::make_index_sequence<20>{});
  runtime.wait();
  EXPECT_EQ(y, 60);
  EXPECT_EQ(numbers[0], 60);
  EXPECT_EQ(numbers[16], 40);
  EXPECT_EQ(numbers[299], 20);
}

struct ThrowsWhenCopied {
  Counted counted;
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied& other) : counted(other.counted) { throw std::runtime_error("no copy"); }
  void operator()() const {}
};

TEST_P(RangesOfItems, LeaveNothingBehindWhereASpawnFails) {
  Runtime runtime(options());
  std::vector<int> numbers(100);
  std::vector<Access> items;
  for (int& n : numbers) items.push_back(inout(n));
  {
    const ThrowsWhenCopied callable;
    for (int i = 0; i < 10; ++i) EXPECT_THROW(runtime.spawn(items, callable), std::runtime_error);
    EXPECT_THROW(runtime.spawn(items, on_domain(99), [c = Counted()] { return std::string(100, 'x'); }), Error);
    std::vector<Access> folding{items[0]};
    folding[0].mode = Mode::reduce;
    EXPECT_THROW(runtime.spawn(folding, [] {}), Error);
    EXPECT_THROW(runtime.spawn(in(numbers[1]), folding, [] {}), Error);
  }
  EXPECT_EQ(Counted::alive, 0);
  runtime.spawn(items, [c = Counted(), &numbers] { numbers[0] = 1; });
  runtime.wait();
  EXPECT_EQ(Counted::alive, 0);
  EXPECT_EQ(numbers[0], 1);
}

TEST_P(RangesOfItems, GiveATaskItsResultAndItsFailure) {
  Runtime runtime(options());
  int x = 20;
  std::vector<Access> items{inout(x)};
  auto handle = runtime.spawn(items, [](Items all) { return std::to_string(all[0].span<int>()[0] + 1); });
  EXPECT_EQ(handle.get(), "21");
  runtime.spawn(items, [] { throw std::runtime_error("bad"); });
  for (int i = 0; i < 20; ++i) runtime.spawn(items, [c = Counted(), &x] { x = 0; });  // cancelled
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(x, 20);
  EXPECT_EQ(Counted::alive, 0);
}

TEST_P(RangesOfItems, OfTasksWithinTasksOrderTheChildren) {
  Runtime runtime(options());
  std::vector<int> numbers(64);
  std::vector<Access> all;
  for (int& n : numbers) all.push_back(inout(n));
  runtime.spawn(all, [&] {
    for (int round = 0; round < 50; ++round) {
      std::vector<Access> some;
      for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(1 + round % 7))
        some.push_back(inout(numbers[i]));
      weir::spawn(some, [](Items mine) {
        for (std::size_t i = 0; i < mine.size(); ++i) ++mine[i].span<int>()[0];
      });
    }
  });
  runtime.wait();
  EXPECT_EQ(numbers[0], 50);
  EXPECT_EQ(numbers[1], 8);
}

class RangesOfHandles : public test::ForWorkers {};
WEIR_FOR_WORKERS(RangesOfHandles);

TEST_P(RangesOfHandles, LetATaskStartAfterAllOfThem) {
  Runtime runtime(options());
  for (const std::size_t length : kLengths) {
    std::atomic<std::size_t> ended{0};
    std::vector<Handle<>> handles;
    for (std::size_t i = 0; i < length; ++i) handles.push_back(runtime.spawn([&] { ++ended; }));
    std::size_t seen = 1'000'000;
    runtime.spawn(after(handles), [&] { seen = ended; });
    runtime.wait();
    EXPECT_EQ(seen, length);
  }
}

TEST_P(RangesOfHandles, MayHaveResultsBeEmptyAndStandBesideItems) {
  Runtime runtime(options());
  std::array<Handle<int>, 3> three;
  std::atomic<int> sum{0};
  for (int i = 0; i < 3; ++i) three[static_cast<std::size_t>(i)] = runtime.spawn([i, &sum] { return sum += i; });
  const Handle<> one = runtime.spawn([&] { sum += 100; });
  int x = 0, seen = 0;
  runtime.spawn(out(x), [&] { x = 7; });
  std::vector<Access> items{in(x)};
  const std::vector<Handle<>> none, unset(4);
  runtime.spawn(after(three), items, after(one), out(seen), after(std::span(none)), after(unset),
                [&](Items, int& to) { to = sum + x; });
  runtime.wait();
  EXPECT_EQ(seen, 110);
}

// ---- Blocks ----

struct Tiers {
  const char* name;
  const char* tiers;
  Strategy strategy;
};

class RangesOfBlocks : public testing::TestWithParam<Tiers> {
 protected:
  Options options() const {
    Options options = test::with_workers(2);
    options.tiers = GetParam().tiers;
    options.strategy = GetParam().strategy;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(, RangesOfBlocks,
                         testing::Values(Tiers{"one_tier", "memory=64MiB", Strategy::ahead},
                                         Tiers{"slow_off", "memory=1MiB,emulated=64MiB@1", Strategy::off},
                                         Tiers{"slow_inline", "memory=1MiB,emulated=64MiB@1", Strategy::inline_},
                                         Tiers{"slow_ahead", "memory=1MiB,emulated=64MiB@1", Strategy::ahead},
                                         Tiers{"file_single", "memory=1MiB,file=/tmp:64MiB", Strategy::single},
                                         Tiers{"file_ahead", "memory=1MiB,file=/tmp:64MiB", Strategy::ahead}),
                         [](const auto& test) { return std::string(test.param.name); });

// More than fits in the fast tier, each task with some blocks that only the run knows; ended as one by one.
TEST_P(RangesOfBlocks, AreBroughtInAndKeptWhileTheTaskRuns) {
  constexpr std::size_t kElements = 8 << 10, kBlocks = 32, kTasks = 400;  // 64 KiB each, 2 MiB
  Runtime runtime(options());
  std::vector<Block<std::uint64_t>> blocks;
  std::vector<Access> all;
  for (std::size_t b = 0; b < kBlocks; ++b) blocks.emplace_back(runtime, kElements, "b");
  for (auto& block : blocks)
    runtime.spawn(out(block), [](std::span<std::uint64_t> x) { std::fill(x.begin(), x.end(), 1); });
  std::mt19937 random(11);
  std::vector<std::uint64_t> expected(kBlocks, 1);
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < kTasks; ++t) {
    const std::size_t to = random() % kBlocks;
    std::vector<std::size_t> from(random() % 6);
    for (std::size_t& f : from) f = (to + 1 + random() % (kBlocks - 1)) % kBlocks;
    std::vector<Access> footprint;
    for (const std::size_t f : from) footprint.push_back(in(blocks[f]));
    std::uint64_t sum = t;
    for (const std::size_t f : from) sum = sum * 31 + expected[f];
    expected[to] = expected[to] * 17 + sum;
    // What the task reads by its Items, and by the blocks themselves, must be the same memory.
    runtime.spawn(footprint, inout(blocks[to]), [&, t, from](Items sources, std::span<std::uint64_t> mine) {
      std::uint64_t total = t;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::span<const std::uint64_t> source = sources[i].span<const std::uint64_t>();
        wrong += source.size() != kElements || source.data() != blocks[from[i]].data().data() ||
                 source.front() != source.back() || sources[i].bytes() != source.size_bytes();
        total = total * 31 + source[kElements / 2];
      }
      for (std::uint64_t& value : mine) value = value * 17 + total;
    });
  }
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::vector<Access> one{in(blocks[b])};
    runtime.spawn(one, [&, b](Items items) { wrong += items[0].span<const std::uint64_t>()[3] != expected[b]; });
  }
  runtime.wait();
  EXPECT_EQ(wrong, 0);
}

TEST_P(RangesOfBlocks, MayBeManyAndAreLeftWhenTasksAreCancelled) {
  Runtime runtime(options());
  constexpr std::size_t kBlocks = 100;  // more than 64
  std::vector<Block<int>> blocks;
  std::vector<Access> all, reading;
  for (std::size_t b = 0; b < kBlocks; ++b) blocks.emplace_back(runtime, 64);
  for (auto& block : blocks) all.push_back(out(block)), reading.push_back(in(block));
  int sum = 0;
  runtime.spawn(all, [](Items items) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i].span<int>()[0] = static_cast<int>(i);
  });
  runtime.spawn(reading, inout(sum), [](Items items, int& to) {
    for (std::size_t i = 0; i < items.size(); ++i) to += items[i].span<const int>()[0];
  });
  runtime.spawn(inout(sum), [] { throw std::runtime_error("stop"); });
  for (int i = 0; i < 20; ++i) runtime.spawn(reading, inout(sum), [&] { sum = -1; });
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(sum, 4950);
  runtime.spawn(all, [] {});
  runtime.wait();
}

TEST_P(RangesOfBlocks, GiveTilesOfAllDimensions) {
  Runtime runtime(options());
  Array<int, 1> line(runtime, {100}, {40});
  Array<int, 2> plane(runtime, {10, 10}, {4, 6});
  Array<int, 3> cube(runtime, {4, 5, 6}, {2, 5, 4});
  std::vector<int> memory(10 * 16);
  Array<int, 2> adopted = Array<int, 2>::adopt(runtime, memory.data(), {10, 10}, {16, 1}, {10, 5});
  const std::vector<Access> items{out(line.tile(2)), out(plane.tile(2, 1)), out(cube.tile(1, 0, 1)),
                                  inout(adopted.tile(0, 1))};
  runtime.spawn(items, [](Items tiles) {
    EXPECT_EQ(tiles[0].span<int>().size(), 20u);
    const View2D<int> flat = tiles[1].view<int>();
    EXPECT_EQ(flat.rows(), 2u);
    EXPECT_EQ(flat.cols(), 4u);
    flat(1, 3) = 8;
    const View3D<int> solid = tiles[2].view3d<int>();
    EXPECT_EQ(solid.planes(), 2u);
    EXPECT_EQ(solid.rows(), 5u);
    EXPECT_EQ(solid.cols(), 2u);
    solid(1, 4, 1) = 9;
    tiles[3].view<int>()(9, 4) = 10;
  });
  int flat = 0, solid = 0;
  runtime.spawn(in(plane.tile(2, 1)), in(cube.tile(1, 0, 1)), out(flat), out(solid),
                [](View2D<const int> f, View3D<const int> s, int& to_flat, int& to_solid) {
                  to_flat = f(1, 3);
                  to_solid = s(1, 4, 1);
                });
  runtime.wait();
  adopted.flush();
  EXPECT_EQ(flat, 8);
  EXPECT_EQ(solid, 9);
  EXPECT_EQ(memory[9 * 16 + 9], 10);
}

// ---- Mistakes ----

template <class Body>
void in_a_task_with(const std::vector<Access>& items, Body body) {
  Runtime runtime(test::with_workers(1));
  runtime.spawn(items, body);
  runtime.wait();
}

TEST(RangesOfItemsDeathTest, NameTheItemThatIsAskedForAsWhatItIsNot) {
  int x[6] = {};
  const Watched<int> grid(x, 2, 2, 3, 1, 1);
  const std::vector<Access> items{in(x[0]), inout(grid.tile(0, 0, 2, 2))};
  EXPECT_DEATH(in_a_task_with(items, [](Items all) { static_cast<void>(all[2]); }), "item 2 of a range that has 2");
  EXPECT_DEATH(in_a_task_with(items, [](Items all) { all[0].span<int>()[0] = 1; }),
               "item 0 of a range is an object or range in mode in, asked for as std::span of elements that may be "
               "written: name it inout, or ask for const elements");
  EXPECT_DEATH(in_a_task_with(items, [](Items all) { static_cast<void>(all[0].span<const double>()); }),
               "item 0 .* of 4 bytes in mode in, asked for as std::span of elements of 8 bytes");
  EXPECT_DEATH(in_a_task_with(items, [](Items all) { static_cast<void>(all[1].span<int>()); }),
               "item 1 of a range is a section of several rows of 16 bytes in mode inout, .*view\\(\\) gives it");
  EXPECT_DEATH(in_a_task_with(items, [](Items all) { static_cast<void>(all[1].view3d<int>()); }), "weir::View3D");
}

TEST(RangesOfItemsDeathTest, AViewHoldsElementsOfTheirSize) {
  const auto of_tiles = [](auto body) {
    Runtime runtime(test::with_workers(1));
    Array<float, 2> plane(runtime, {4, 4}, {4, 4});
    Array<float, 3> cube(runtime, {2, 4, 4}, {2, 4, 4});
    const std::vector<Access> items{inout(plane.tile(0, 0)), inout(cube.tile(0, 0, 0))};
    runtime.spawn(items, body);
    runtime.wait();
  };
  EXPECT_DEATH(of_tiles([](Items all) { static_cast<void>(all[0].view<double>()); }),
               "item 0 of a range is a tile of an array of 2 dimensions of 64 bytes .* of elements of 8 bytes");
  EXPECT_DEATH(of_tiles([](Items all) { static_cast<void>(all[0].view<char>()); }), "of elements of 1 bytes");
  EXPECT_DEATH(of_tiles([](Items all) { static_cast<void>(all[1].view3d<double>()); }), "a tile of an array of 3");
  of_tiles([](Items all) {
    EXPECT_EQ(all[0].view<const int>().rows(), 4u);
    EXPECT_EQ(all[1].view3d<float>().planes(), 2u);
  });
  int data[4][6] = {};
  const Watched<int> narrow(&data[0][0], 4, 3, 6, 2, 3), odd(&data[0][0], 3, 4, 7, 3, 4);
  EXPECT_DEATH(in_a_task_with({inout(narrow.rows(0, 2))}, [](Items all) { static_cast<void>(all[0].view<double>()); }),
               "a section of several rows of 24 bytes");  // rows of 12
  EXPECT_DEATH(in_a_task_with({inout(odd.rows(0, 2))}, [](Items all) { static_cast<void>(all[0].view<double>()); }),
               "a section of several rows of 32 bytes");  // 28 from one to the next
}

// A task is given a copy of the reduction's type, which a range does not know.
static_assert(!std::is_convertible_v<decltype(reduce(std::declval<double&>(), std::plus<>(), 0.0)), Access>);
static_assert(!std::is_convertible_v<decltype(reduce(std::declval<ArrayTile<int, 1>>(), std::plus<>(), 0)), Access>);
static_assert(std::is_convertible_v<decltype(inout(std::declval<ArrayTile<int, 1>>())), Access>);

TEST(RangesOfItemsDeathTest, OfAChildLieWithinTheParentsFootprint) {
#ifdef NDEBUG
  GTEST_SKIP() << "a release build does not check";
#endif
  int data[20] = {};
  const std::vector<Access> outer{in(data, 5), in(data + 5, 5)};
  EXPECT_DEATH(in_a_task_with(outer,
                              [&] {
                                const std::vector<Access> inner{in(data[0]), in(data + 8, 4)};
                                spawn(name("inner"), inner, [] {});
                              }),
               "task inner is not within that of its parent .*from byte 8 on");
}

}  // namespace
}  // namespace weir
