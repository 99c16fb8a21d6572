// SPDX-License-Identifier: Apache-2.0

// Tasks that spawn tasks: when a parent ends, whom wait() waits for, how deep it may go.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

class Nesting : public test::ForWorkers {};
WEIR_FOR_WORKERS(Nesting);

void spin_for(int rounds) {
  for (int i = 0; i < rounds; ++i) std::this_thread::yield();
}

TEST_P(Nesting, ASuccessorStartsOnlyWhenTheChildrenOfItsPredecessorHaveEnded) {
  Runtime runtime(options());
  for (int round = 0; round < 50; ++round) {
    int x = 0;
    std::atomic<int> children{0};
    int seen = -1;
    runtime.spawn(inout(x), [&] {
      for (int i = 0; i < 8; ++i) {
        spawn([&] {
          spin_for(3);
          ++children;
        });
      }
    });
    runtime.spawn(in(x), [&] { seen = children; });
    runtime.wait();
    EXPECT_EQ(seen, 8);
  }
}

// The last child ends on a thief, which then has to start the successor although it finds nothing else to do.
TEST_P(Nesting, WhoeverEndsTheLastChildStartsTheSuccessorOfTheParent) {
  if (workers() < 2) GTEST_SKIP() << "needs a thief";
  Runtime runtime(options());
  for (int round = 0; round < 200; ++round) {
    int x = 0;
    std::atomic<bool> child_runs{false};
    bool seen = false;
    runtime.spawn(inout(x), [&] {
      spawn([&] { child_runs = true; });
      spin_until(child_runs);  // on a thief: this worker is here
    });
    runtime.spawn(in(x), [&] { seen = true; });
    runtime.wait();
    EXPECT_TRUE(seen);
  }
}

TEST_P(Nesting, AGrandchildHoldsUpTheSuccessor) {
  Runtime runtime(options());
  int x = 0;
  std::atomic<bool> grandchild{false};
  bool seen = false;
  runtime.spawn(inout(x), [&] {
    spawn([&] {
      spawn([&] {
        spin_for(100);
        grandchild = true;
      });
    });
  });
  auto handle = runtime.spawn(in(x), [&] { seen = grandchild; });
  runtime.wait(handle);
  EXPECT_TRUE(seen);
  runtime.wait();
}

TEST_P(Nesting, WaitInATaskWaitsForItsOwnChildrenOnly) {
  Runtime runtime(options());
  std::atomic<bool> go{false};
  std::atomic<bool> child{false};
  bool waited = false;
  if (workers() > 1) runtime.spawn([&] { spin_until(go); });
  runtime.spawn([&] {
    spawn([&] { child = true; });
    wait();
    waited = child;
    go = true;
  });
  runtime.wait();
  EXPECT_TRUE(waited);
}

TEST_P(Nesting, SiblingsInsideATaskAreOrderedByFootprint) {
  Runtime runtime(options());
  std::vector<long> sums(20, 0);
  for (long& sum : sums) {
    runtime.spawn(inout(sum), [&sum] {
      for (int i = 0; i < 20; ++i) spawn(inout(sum), [&sum, i] { sum = sum * 3 % 10007 + i; });
    });
    runtime.spawn(inout(sum), [&sum] {
      for (int i = 0; i < 5; ++i) spawn(inout(sum), [&sum, i] { sum = sum * 5 % 10007 + i; });
      wait();
      sum += 1;
    });
  }
  runtime.wait();
  long expected = 0;
  for (int i = 0; i < 20; ++i) expected = expected * 3 % 10007 + i;
  for (int i = 0; i < 5; ++i) expected = expected * 5 % 10007 + i;
  for (const long sum : sums) EXPECT_EQ(sum, expected + 1);
}

int fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  spawn([&a, n] { a = fib(n - 1); });
  spawn([&b, n] { b = fib(n - 2); });
  wait();
  return a + b;
}

TEST_P(Nesting, RecursionWithWaits) {
  Runtime runtime(options());
  EXPECT_EQ(fib(16), 987);
  EXPECT_EQ(runtime.spawn([] { return fib(15); }).get(), 610);
  runtime.wait();
}

void dig(int depth, std::atomic<int>& reached) {
  ++reached;
  if (depth == 0) return;
  spawn([depth, &reached] { dig(depth - 1, reached); });
  wait();
}

TEST_P(Nesting, WaitsNestAThousandDeep) {
  Runtime runtime(options());
  std::atomic<int> reached{0};
  runtime.spawn([&] { dig(1000, reached); });
  runtime.wait();
  EXPECT_EQ(reached, 1001);
}

void dig_by_handles(int depth, std::atomic<int>& reached) {
  ++reached;
  if (depth == 0) return;
  const Handle<void> deeper = spawn([depth, &reached] { dig_by_handles(depth - 1, reached); });
  wait(deeper);
}

// No wait that need not sleep looks at those beneath it, which would take minutes here.
TEST(WaitsForHandles, NestThirtyThousandDeep) {
  Runtime runtime(test::with_workers(1));
  constexpr int kDepth = base::kUnderSanitizer ? 1000 : 30000;
  std::atomic<int> reached{0};
  runtime.spawn([&] { dig_by_handles(kDepth, reached); });
  runtime.wait();
  EXPECT_EQ(reached, kDepth + 1);
}

// Waiters that ran whatever they find would pile up on the stack without end.
TEST_P(Nesting, ManyWaitingTasksDoNotOverflowTheStack) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 5000; ++i) {
    runtime.spawn([&] {
      std::array<volatile char, 2048> frame;
      frame[0] = 1;
      for (int child = 0; child < 3; ++child) spawn([&] { ++runs; });
      wait();
      runs += frame[0];
    });
  }
  runtime.wait();
  EXPECT_EQ(runs, 20000);
}

TEST_P(Nesting, AChainOfParentsWithoutWaitsEndsFromTheInnermost) {
  Runtime runtime(options());
  constexpr int kDepth = 3000;
  std::atomic<int> runs{0};
  struct Link {
    std::atomic<int>& runs;
    int depth;
    void operator()() const {
      ++runs;
      if (depth > 0) spawn(Link{runs, depth - 1});
    }
  };
  auto handle = runtime.spawn(Link{runs, kDepth});
  runtime.wait(handle);
  EXPECT_EQ(runs, kDepth + 1);
  runtime.wait();
}

TEST_P(Nesting, CurrentWorkerAndDomainAreThoseOfTheRunningTask) {
  Runtime runtime(options());
  EXPECT_EQ(current_worker(), 0);
  EXPECT_EQ(current_domain(), 0);
  std::atomic<int> wrong{0};
  for (int i = 0; i < 200; ++i) {
    runtime.spawn([&] { wrong += current_worker() < 0 || current_worker() >= workers() || current_domain() != 0; });
  }
  runtime.wait();
  EXPECT_EQ(wrong, 0);
  std::thread([&] {
    EXPECT_EQ(current_worker(), -1);
    EXPECT_EQ(current_domain(), -1);
    EXPECT_THROW(spawn([] {}), Error);
    EXPECT_THROW(wait(), Error);
    runtime.wait();
    EXPECT_GE(current_worker(), workers());
  }).join();
}

TEST_P(Nesting, ATaskMayWaitForAHandleOfItsChild) {
  Runtime runtime(options());
  auto handle = runtime.spawn([] {
    auto child = spawn([] { return 20; });
    auto second = spawn([] { return 1; });
    return child.get() + second.get();
  });
  EXPECT_EQ(handle.get(), 21);
  runtime.wait();
}

TEST_P(Nesting, ASpawningTaskIsThrottledLikeAThread) {
  Options o = options();
  o.throttle = 8;
  Runtime runtime(o);
  std::atomic<int> runs{0};
  for (int i = 0; i < 10; ++i) {
    runtime.spawn([&] {
      for (int child = 0; child < 500; ++child) spawn([&] { ++runs; });
    });
  }
  runtime.wait();
  EXPECT_EQ(runs, 5000);
}

class Throttle : public test::ForWorkers {};
WEIR_FOR_WORKERS(Throttle);

TEST_P(Throttle, UnfinishedChildrenNeverExceedTheLimit) {
  for (const int limit : {1, 10, 300, 1000}) {
    Options o = options();
    o.throttle = limit;
    Runtime runtime(o);
    std::atomic<int> alive{0};
    int most = 0;
    struct Token {
      std::atomic<int>* alive;
      explicit Token(std::atomic<int>& a) : alive(&a) { ++*alive; }
      Token(Token&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
      Token(const Token&) = delete;
      ~Token() {
        if (alive != nullptr) --*alive;
      }
    };
    for (int i = 0; i < 5000; ++i) {
      runtime.spawn([token = Token(alive)] { static_cast<void>(token); });
      most = std::max(most, alive.load());
    }
    runtime.wait();
    EXPECT_LE(most, limit) << "throttle " << limit;
  }
}

TEST_P(Throttle, NoLimitMeansNoLimit) {
  if (workers() != 1) GTEST_SKIP() << "others would run the tasks meanwhile";
  Options o = options();
  o.throttle = 0;
  Runtime runtime(o);
  int runs = 0;
  for (int i = 0; i < 30000; ++i) runtime.spawn([&] { ++runs; });
  EXPECT_EQ(runs, 0);
  runtime.wait();
  EXPECT_EQ(runs, 30000);
}

// How many tasks that come second in their chain, of tasks on one object, are run before the last chain begins.
int seconds_before_the_last_first(bool with_joins) {
  Runtime runtime(test::with_workers(1));
  constexpr int kChains = 2000;
  std::vector<int> length(kChains);
  int begun = 0, seconds = 0;
  const auto task = [&](int chain) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(20)) {
    }
    ++length[std::size_t(chain)] == 1 ? ++begun : seconds += begun < kChains;
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < kChains; ++i) {
      int& mine = length[std::size_t(i)];
      if (with_joins)  // the second waits for two
        runtime.spawn(inout(mine), in(length[std::size_t(i == 0 ? 1 : i - 1)]), [&task, i] { task(i); });
      else
        runtime.spawn(inout(mine), [&task, i] { task(i); });
    }
  }
  runtime.wait();
  return seconds;
}

TEST(ThrottleWindow, LooksFurtherAheadForLongTasksThatWaitForOneOtherAtMost) {
  EXPECT_GT(seconds_before_the_last_first(false), 1000);
  EXPECT_LT(seconds_before_the_last_first(true), 400);
}

// All that are spawned first end later: what ends them is spawned last, and waits for nothing.
TEST_P(Throttle, DoesNotWaitForWhatOnlyTheThrottledThreadCanBringAbout) {
  Options o = options();
  o.throttle = 20;
  Runtime runtime(o);
  std::vector<Completion> completions(100);
  std::atomic<int> begun{0}, after{0};
  std::atomic<bool> all_spawned{false};
  std::thread device([&] {
    test::spin_until([&] { return all_spawned && begun == 100; });
    for (Completion& completion : completions) completion.complete();
  });
  std::vector<int> data(completions.size());
  for (std::size_t i = 0; i < completions.size(); ++i) {
    runtime.spawn(out(data[i]), [&, i] {
      completions[i] = end_later();
      ++begun;
    });
    runtime.spawn(in(data[i]), [&] { ++after; });
  }
  runtime.spawn([&] { all_spawned = true; });
  runtime.wait();
  device.join();
  EXPECT_EQ(after, 100);
}

TEST_P(Throttle, OpenReductionsDoNotHoldUpTheThrottledThread) {
  Options o = options();
  o.throttle = 16;
  Runtime runtime(o);
  std::vector<long> bins(400, 0);
  for (int round = 0; round < 5; ++round) {
    for (long& bin : bins) runtime.spawn(reduce(bin, std::plus<>{}, 0L), [](long& copy) { ++copy; });
  }
  runtime.wait();
  for (const long bin : bins) EXPECT_EQ(bin, 5);
}

}  // namespace
}  // namespace weir
