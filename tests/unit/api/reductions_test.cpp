// SPDX-License-Identifier: Apache-2.0

// reduce() and reduce_ordered().
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::Counted;

class Reductions : public test::ForWorkers {};
WEIR_FOR_WORKERS(Reductions);

TEST_P(Reductions, TheNextReaderSeesTheSum) {
  Runtime runtime(options());
  long sum = 3, seen = 0;
  for (int i = 1; i <= 200; ++i) {
    runtime.spawn(reduce(sum, std::plus<>{}, 0L), [i](long& copy) { copy += i; });
  }
  runtime.spawn(in(sum), [&] { seen = sum; });
  runtime.wait();
  EXPECT_EQ(seen, 3 + 20100);
}

TEST_P(Reductions, WaitSeesTheSum) {
  Runtime runtime(options());
  long sum = 0;
  for (int round = 1; round <= 30; ++round) {
    for (int i = 0; i < 20; ++i) runtime.spawn(reduce(sum, std::plus<>{}, 0L), [](long& copy) { ++copy; });
    runtime.wait();
    EXPECT_EQ(sum, 20 * round);
  }
}

TEST_P(Reductions, AParentEndsWithTheSumOfItsChildren) {
  Runtime runtime(options());
  long sum = 0, seen = 0;
  runtime.spawn(inout(sum), [&] {
    for (int i = 0; i < 50; ++i) spawn(reduce(sum, std::plus<>{}, 0L), [](long& copy) { ++copy; });
  });
  runtime.spawn(in(sum), [&] { seen = sum; });
  runtime.wait();
  EXPECT_EQ(seen, 50);
}

struct Concatenate {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};

TEST_P(Reductions, OrderedCopiesAreFoldedInTheOrderOfSpawning) {
  Runtime runtime(options());
  std::string text = ">";
  std::string expected = ">";
  const std::string nothing;
  for (int i = 0; i < 100; ++i) {
    expected += std::to_string(i) + ",";
    runtime.spawn(reduce_ordered(object(text), Concatenate{}, nothing), [i](std::string& copy) {
      for (int k = 0; k < (i * 7) % 11; ++k) std::this_thread::yield();
      copy += std::to_string(i) + ",";
    });
  }
  runtime.wait();
  EXPECT_EQ(text, expected);
}

double ordered_sum(int workers, int throttle) {
  Options options = test::with_workers(workers);
  options.throttle = throttle;
  Runtime runtime(options);
  double sum = 0.1;
  for (int i = 1; i < 3000; ++i) {
    runtime.spawn(reduce_ordered(sum, std::plus<>{}, 0.0), [i](double& copy) { copy += 1.0 / i; });
  }
  runtime.wait();
  return sum;
}

TEST(ReductionsOverRuns, OrderedSumsAreTheSameBitsForAnyNumberOfWorkers) {
  double expected = 0.1;
  for (int i = 1; i < 3000; ++i) expected += 1.0 / i;
  for (const int workers : {1, 2, 3, 8}) {
    for (const int throttle : {0, 20, 16384}) EXPECT_EQ(ordered_sum(workers, throttle), expected);
  }
}

TEST_P(Reductions, TwoOperationsOnOneObjectFollowEachOther) {
  Runtime runtime(options());
  long x = 1;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 5; ++i) runtime.spawn(reduce(x, std::plus<>{}, 0L), [](long& copy) { copy += 1; });
    runtime.spawn(reduce(x, std::multiplies<>{}, 1L), [](long& copy) { copy *= 2; });
  }
  runtime.wait();
  long expected = 1;
  for (int round = 0; round < 10; ++round) expected = (expected + 5) * 2;
  EXPECT_EQ(x, expected);
}

TEST_P(Reductions, SeveralReductionsInOneTaskBesideOtherItems) {
  Runtime runtime(options());
  long a = 0;
  int x = 3;
  std::string b;
  const std::string nothing;
  for (int i = 0; i < 60; ++i) {
    runtime.spawn(reduce(a, std::plus<>{}, 0L), in(x), reduce_ordered(object(b), Concatenate{}, nothing),
                  [i](long& sum, const int& factor, std::string& text) {
                    sum += factor;
                    text += static_cast<char>('a' + i % 26);
                  });
  }
  runtime.wait();
  EXPECT_EQ(a, 180);
  ASSERT_EQ(b.size(), 60u);
  EXPECT_EQ(b.substr(0, 4), "abcd");
}

TEST_P(Reductions, ATaskThatWaitsKeepsItsCopyToItself) {
  Runtime runtime(options());
  long sum = 0;
  for (int i = 0; i < 60; ++i) {
    runtime.spawn(reduce(sum, std::plus<>{}, 0L), [](long& copy) {
      const long before = copy;
      spawn([] {});
      wait();  // others of the group may run here meanwhile
      EXPECT_EQ(copy, before);
      copy = before + 1;
    });
  }
  runtime.wait();
  EXPECT_EQ(sum, 60);
}

TEST_P(Reductions, AReductionAfterAWriterAndBeforeAnother) {
  Runtime runtime(options());
  long x = 0, total = 0;
  for (int round = 0; round < 20; ++round) {
    runtime.spawn(out(x), [&x] { x = 10; });
    for (int i = 0; i < 7; ++i) runtime.spawn(reduce(x, std::plus<>{}, 0L), [](long& copy) { ++copy; });
    runtime.spawn(inout(x), [&] { total += x; });
  }
  runtime.wait();
  EXPECT_EQ(total, 20 * 17);
}

struct ThrowsAtACopy {
  static inline std::atomic<int> left{0};  // copies that can be made
  int value = 0;
  ThrowsAtACopy() = default;
  ThrowsAtACopy(const ThrowsAtACopy& other) : value(other.value) {
    if (left-- == 0) throw std::runtime_error("no copy");
  }
  ThrowsAtACopy& operator=(const ThrowsAtACopy&) = default;
};
struct AddValues {
  ThrowsAtACopy operator()(const ThrowsAtACopy& a, const ThrowsAtACopy& b) const {
    ThrowsAtACopy sum;
    sum.value = a.value + b.value;
    return sum;
  }
};

// The first copy is that of spawn(), others are the tasks'.
TEST_P(Reductions, WhatCopyingTheIdentityThrowsTheTaskHasThrown) {
  Runtime runtime(options());
  for (const bool ordered : {false, true}) {
    for (int copies = 0; copies < 2; ++copies) {
      ThrowsAtACopy x;
      const ThrowsAtACopy identity;
      const auto add_one = [c = Counted()](ThrowsAtACopy& copy) { ++copy.value; };
      const auto spawn_one = [&] {
        if (ordered)
          runtime.spawn(reduce_ordered(x, AddValues(), identity), add_one);
        else
          runtime.spawn(reduce(x, AddValues(), identity), add_one);
      };
      ThrowsAtACopy::left = copies;
      if (copies == 0) {
        EXPECT_THROW(spawn_one(), std::runtime_error);
        runtime.wait();
        EXPECT_EQ(x.value, 0);
      }
      ThrowsAtACopy::left = copies;
      if (copies == 1) {
        spawn_one();
        EXPECT_THROW(runtime.wait(), std::runtime_error);
        EXPECT_EQ(x.value, 0);
      }
      ThrowsAtACopy::left = 100;
      for (int i = 0; i < 5; ++i) spawn_one();
      runtime.wait();
      EXPECT_EQ(x.value, 5);
    }
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST_P(Reductions, TheIdentityNeedLiveOnlyWhileSpawnRuns) {
  Runtime runtime(options());
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string identity(50, '-');
    runtime.spawn(reduce_ordered(object(text), Concatenate{}, identity), [](std::string& copy) { copy += "x"; });
  }
  runtime.wait();
  EXPECT_EQ(text.size(), 20u * 51u);
}

}  // namespace
}  // namespace weir
