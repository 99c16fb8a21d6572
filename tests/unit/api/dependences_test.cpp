// SPDX-License-Identifier: Apache-2.0

// Which tasks wait for which, by their footprints.
#include <algorithm>
#include <list>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

// A view of the program's own.
struct TwoPointers {
  using value_type = long;
  long *first, *last;
  long* begin() const { return first; }
  long* end() const { return last; }
  long* data() const { return first; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

class Dependences : public test::ForWorkers {};
WEIR_FOR_WORKERS(Dependences);

TEST_P(Dependences, WritersRunInTheOrderInWhichTheyWereSpawned) {
  Runtime runtime(options());
  std::vector<int> order;
  for (int i = 0; i < 500; ++i) runtime.spawn(inout(object(order)), [&order, i] { order.push_back(i); });
  runtime.wait();
  std::vector<int> expected(500);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

// What a range holds is what it means: tasks that name all of it, and a part of it by address, are in order.
template <class Container>
void expect_elements_are_named(Runtime& runtime, Container container) {
  auto* const half = container.data() + container.size() / 2;
  const std::size_t count = container.size() - container.size() / 2;
  int wrong = 0;
  for (int i = 1; i <= 50; ++i) {
    const auto value = static_cast<typename Container::value_type>(i);
    runtime.spawn(out(container), [value](auto elements) {
      for (auto& e : elements) e = value;
    });
    runtime.spawn(inout(half, count), [&wrong, value](auto elements) {
      for (auto& e : elements) wrong += std::exchange(e, 0) != value;
    });
    runtime.spawn(in(std::as_const(container)), in(half, count), inout(wrong), [&, value](auto all, auto, int& w) {
      static_assert(std::is_same_v<decltype(all), std::span<const typename Container::value_type>>);
      w += all[0] != value || all.back() != 0;
    });
  }
  runtime.wait();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Dependences, AContiguousRangeMeansItsElements) {
  Runtime runtime(options());
  expect_elements_are_named(runtime, std::vector<int>(1000));
  expect_elements_are_named(runtime, std::string(1000, 'x'));
  std::vector<long> memory(1000);
  const std::span<long> span(memory);
  expect_elements_are_named(runtime, TwoPointers{memory.data(), memory.data() + memory.size()});
  const auto item = in(span);
  EXPECT_EQ(item.access.region.base, memory.data());
  EXPECT_EQ(item.access.region.row_bytes, 1000 * sizeof(long));
}

TEST_P(Dependences, AnObjectByItselfIsItsBytesWhateverItHolds) {
  Runtime runtime(options());
  std::list<int> list;
  for (int i = 0; i < 200; ++i) runtime.spawn(inout(object(list)), [i](std::list<int>& l) { l.push_back(i); });
  bool in_order = false;
  runtime.spawn(in(object(list)), out(in_order),
                [](const std::list<int>& l, bool& o) { o = l.size() == 200 && std::is_sorted(l.begin(), l.end()); });
  runtime.wait();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(in(object(list)).access.region.base, &list);
  EXPECT_EQ(in(object(list)).access.region.row_bytes, sizeof list);
}

TEST_P(Dependences, AReaderSeesTheWriterBeforeItAndNotTheOneAfterIt) {
  Runtime runtime(options());
  int x = 0;
  std::vector<int> seen(300, -1);
  for (int i = 0; i < 300; ++i) {
    runtime.spawn(out(x), [&x, i] { x = i; });
    runtime.spawn(in(x), [&x, &seen, i] { seen[static_cast<std::size_t>(i)] = x; });
  }
  runtime.wait();
  for (int i = 0; i < 300; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_P(Dependences, AWriterWaitsForAllReadersBeforeIt) {
  Runtime runtime(options());
  int x = 7;
  std::atomic<int> readers{0};
  int readers_at_write = -1;
  for (int i = 0; i < 40; ++i) runtime.spawn(in(x), [&] { readers += x == 7; });
  runtime.spawn(inout(x), [&] {
    readers_at_write = readers;
    x = 8;
  });
  runtime.wait();
  EXPECT_EQ(readers_at_write, 40);
}

template <class Item>
void expect_two_to_meet(int workers, Item item) {
  if (workers < 2) GTEST_SKIP() << "one worker runs one task at a time";
  Runtime runtime(test::with_workers(workers));
  std::atomic<int> there{0};
  for (int i = 0; i < 2; ++i) {
    runtime.spawn(item, [&] {
      ++there;
      spin_until([&] { return there == 2; });
    });
  }
  runtime.wait();
  EXPECT_EQ(there, 2);
}

TEST_P(Dependences, ReadersRunTogether) {
  int x = 0;
  expect_two_to_meet(workers(), in(x));
}

TEST_P(Dependences, ConcurrentTasksRunTogether) {
  int x = 0;
  expect_two_to_meet(workers(), concurrent(x));
}

TEST_P(Dependences, ConcurrentTasksComeAfterTheWriterBeforeAndBeforeTheReaderAfterThem) {
  Runtime runtime(options());
  std::atomic<int> x{0};
  std::atomic<int> early{0};
  int at_read = 0;
  runtime.spawn(out(x), [&] { x = 1000; });
  for (int i = 0; i < 50; ++i) {
    runtime.spawn(concurrent(x), [&] { early += x++ < 1000; });
  }
  runtime.spawn(in(x), [&] { at_read = x; });
  runtime.wait();
  EXPECT_EQ(early, 0);
  EXPECT_EQ(at_read, 1050);
}

TEST_P(Dependences, CommutativeTasksExcludeEachOther) {
  Runtime runtime(options());
  long sum = 0;
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  for (int i = 0; i < 400; ++i) {
    runtime.spawn(commutative(sum), [&] {
      if (++inside != 1) met = true;
      ++sum;
      --inside;
    });
  }
  runtime.wait();
  EXPECT_EQ(sum, 400);
  EXPECT_FALSE(met);
}

TEST_P(Dependences, CommutativeTasksOverSeveralObjectsInAnyOrderDoNotBlockEachOtherForEver) {
  Runtime runtime(options());
  int a = 0, b = 0, c = 0;
  for (int i = 0; i < 150; ++i) {
    runtime.spawn(commutative(a), commutative(b), [&] { ++a, ++b; });
    runtime.spawn(commutative(b), commutative(c), commutative(a), [&] { ++a, ++b, ++c; });
    runtime.spawn(commutative(c), commutative(a), [&] { ++a, ++c; });
    runtime.spawn(commutative(b), [&] { ++b; });
  }
  runtime.wait();
  EXPECT_EQ(a, 450);
  EXPECT_EQ(b, 450);
  EXPECT_EQ(c, 300);
}

TEST_P(Dependences, ACommutativeTaskKeepsItsExclusionWhileItWaitsForItsChildren) {
  Runtime runtime(options());
  int x = 0;
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  for (int i = 0; i < 40; ++i) {
    runtime.spawn(commutative(x), [&] {
      if (++inside != 1) met = true;
      for (int child = 0; child < 4; ++child) spawn([] {});
      wait();
      ++x;
      --inside;
    });
  }
  runtime.wait();
  EXPECT_EQ(x, 40);
  EXPECT_FALSE(met);
}

TEST_P(Dependences, CommutativeTasksComeBetweenWriterAndReader) {
  Runtime runtime(options());
  long x = 0, read = 0;
  for (int round = 0; round < 20; ++round) {
    runtime.spawn(out(x), [&] { x = 100; });
    for (int i = 0; i < 10; ++i) runtime.spawn(commutative(x), [&] { ++x; });
    runtime.spawn(in(x), [&] { read += x; });
  }
  runtime.wait();
  EXPECT_EQ(read, 20 * 110);
}

TEST_P(Dependences, RangesThatOverlapInPartAreOrdered) {
  Runtime runtime(options());
  std::vector<int> data(30, 0);
  int* d = data.data();
  for (int round = 0; round < 50; ++round) {
    runtime.spawn(inout(d, 20), [=] {
      for (int i = 0; i < 20; ++i) d[i] = (2 * d[i] + 1) & 0xffff;
    });
    runtime.spawn(inout(d + 10, 20), [=] {
      for (int i = 10; i < 30; ++i) d[i] = (d[i] + 3) & 0xffff;
    });
    runtime.spawn(inout(d + 5, 1), [=] { d[5] = (d[5] + 1) & 0xffff; });
  }
  runtime.wait();
  std::vector<int> expected(30, 0);
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < 20; ++i) expected[i] = (2 * expected[i] + 1) & 0xffff;
    for (std::size_t i = 10; i < 30; ++i) expected[i] = (expected[i] + 3) & 0xffff;
    expected[5] = (expected[5] + 1) & 0xffff;
  }
  EXPECT_EQ(data, expected);
}

TEST_P(Dependences, TasksOnDisjointMemoryAreNotOrdered) {
  if (workers() < 2) GTEST_SKIP() << "one worker runs one task at a time";
  Runtime runtime(options());
  int x[2] = {0, 0};
  std::atomic<int> there{0};
  for (int& each : x) {
    runtime.spawn(inout(each), [&] {
      ++there;
      spin_until([&] { return there == 2; });
    });
  }
  runtime.wait();
  EXPECT_EQ(there, 2);
}

TEST_P(Dependences, RowsOfAWatchedArrayAreOrderedByBlock) {
  Runtime runtime(options());
  constexpr std::size_t kRows = 24, kCols = 10, kStride = 16;
  std::vector<double> data(kRows * kStride, 1.0);
  const Watched<double> grid(data.data(), kRows, kCols, kStride, 4, kCols);
  // Each row block depends on the one above: a sweep whose result tells the order.
  for (int sweep = 0; sweep < 10; ++sweep) {
    for (std::size_t row = 4; row < kRows; row += 4) {
      runtime.spawn(in(grid.rows(row - 1, 1)), inout(grid.rows(row, 4)), [&data, row] {
        for (std::size_t r = row; r < row + 4; ++r) {
          for (std::size_t c = 0; c < kCols; ++c) data[r * kStride + c] += data[(r - 1) * kStride + c];
        }
      });
    }
  }
  runtime.wait();
  std::vector<double> expected(kRows * kStride, 1.0);
  for (int sweep = 0; sweep < 10; ++sweep) {
    for (std::size_t r = 4; r < kRows; ++r) {
      for (std::size_t c = 0; c < kCols; ++c) expected[r * kStride + c] += expected[(r - 1) * kStride + c];
    }
  }
  EXPECT_EQ(data, expected);
}

TEST_P(Dependences, TilesOfAWatchedArrayMakeAWavefront) {
  Runtime runtime(options());
  constexpr std::size_t kSize = 32, kTile = 4;
  std::vector<long> data(kSize * kSize, 1);
  const Watched<long> grid(data.data(), kSize, kSize, kSize, kTile, kTile);
  for (std::size_t r = kTile; r < kSize; r += kTile) {
    for (std::size_t c = kTile; c < kSize; c += kTile) {
      runtime.spawn(in(grid.tile(r - 1, c, 1, kTile)), in(grid.tile(r, c - 1, kTile, 1)),
                    inout(grid.tile(r, c, kTile, kTile)), [&data, r, c] {
                      for (std::size_t y = r; y < r + kTile; ++y) {
                        for (std::size_t x = c; x < c + kTile; ++x) {
                          data[y * kSize + x] = (data[(y - 1) * kSize + x] + data[y * kSize + x - 1]) % 100003;
                        }
                      }
                    });
    }
  }
  runtime.wait();
  std::vector<long> expected(kSize * kSize, 1);
  for (std::size_t y = kTile; y < kSize; ++y) {
    for (std::size_t x = kTile; x < kSize; ++x) {
      expected[y * kSize + x] = (expected[(y - 1) * kSize + x] + expected[y * kSize + x - 1]) % 100003;
    }
  }
  EXPECT_EQ(data, expected);
}

TEST_P(Dependences, ATaskWithManyPredecessorsStartsAfterAllOfThem) {
  Runtime runtime(options());
  std::vector<int> data(200, 0);
  for (int& each : data) runtime.spawn(out(each), [&each] { each = 1; });
  int sum = 0;
  runtime.spawn(in(data.data(), data.size()), [&] { sum = std::accumulate(data.begin(), data.end(), 0); });
  runtime.wait();
  EXPECT_EQ(sum, 200);
}

TEST_P(Dependences, FootprintsAreRememberedOverAWait) {
  Runtime runtime(options());
  int x = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 5; ++i) runtime.spawn(inout(x), [&x] { x = x * 3 % 1009 + 1; });
    runtime.wait();
  }
  int expected = 0;
  for (int i = 0; i < 500; ++i) expected = expected * 3 % 1009 + 1;
  EXPECT_EQ(x, expected);
}

TEST_P(Dependences, MemoryThatWasFreedAndAllocatedAgainInOtherPiecesIsOrderedAnew) {
  Runtime runtime(options());
  std::minstd_rand random(1);
  for (int round = 0; round < 30; ++round) {
    std::vector<int> data(1 + random() % 64, 0);
    for (int i = 0; i < 20; ++i) {
      const std::size_t first = random() % data.size();
      const std::size_t count = 1 + random() % (data.size() - first);
      runtime.spawn(inout(data.data() + first, count), [](std::span<int> s) {
        for (int& v : s) ++v;
      });
    }
    runtime.spawn(inout(data.data(), data.size()), [](std::span<int> s) {
      for (int& v : s) v = -1;
    });
    runtime.wait();
    for (const int v : data) EXPECT_EQ(v, -1);
  }
}

}  // namespace
}  // namespace weir
