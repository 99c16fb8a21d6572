// SPDX-License-Identifier: Apache-2.0

// Tasks that end later: their functions have returned, and something that they have begun has not ended.
#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

// A device: a thread that is none of the runtime's, and completes what it is given in the order in which it came.
class Device {
 public:
  Device() : thread_([this] { work(); }) {}
  ~Device() {
    stop_ = true;
    thread_.join();
  }
  // Does `work`, then completes.
  void begin(std::function<void()> work, Completion completion) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(work), std::move(completion)});
  }
  // Holds everything back until it is called with false.
  void hold(bool on) { held_ = on; }

 private:
  struct Work {
    std::function<void()> work;
    Completion completion;
  };
  void work() {
    for (;;) {
      std::vector<Work> all;
      if (!held_) {
        const std::lock_guard lock(mutex_);
        all.swap(queue_);
      }
      for (Work& each : all) {
        each.work();
        each.completion.complete();
      }
      if (all.empty() && stop_) return;
      if (all.empty()) std::this_thread::yield();
    }
  }
  std::mutex mutex_;
  std::vector<Work> queue_;
  std::atomic<bool> stop_{false}, held_{false};
  std::thread thread_;
};

class Completions : public test::ForWorkers {};
WEIR_FOR_WORKERS(Completions);

TEST_P(Completions, WhatComesAfterATaskSeesWhatWasDoneBeforeItsCompletion) {
  Device device;
  Runtime runtime(options());
  int x = 0, seen = 0;
  for (int round = 1; round <= 100; ++round) {
    runtime.spawn(inout(x), [&, round] { device.begin([&, round] { x = round; }, end_later()); });
    runtime.spawn(in(x), inout(seen), [&, round] { seen += x == round ? 1 : 0; });
  }
  runtime.wait();
  EXPECT_EQ(seen, 100);
}

TEST_P(Completions, AWaitForTheTaskWaitsForItsCompletion) {
  Device device;
  Runtime runtime(options());
  device.hold(true);
  int x = 0;
  const Handle<> task = runtime.spawn([&] { device.begin([&] { x = 1; }, end_later()); });
  std::atomic<bool> other{false};
  runtime.wait(runtime.spawn([&] { other = true; }));  // the runtime goes on meanwhile
  EXPECT_FALSE(task.finished());
  device.hold(false);
  runtime.wait(task);
  EXPECT_EQ(x, 1);
}

TEST_P(Completions, ATaskMayHaveSeveralAndChildrenBesides) {
  Device first, second;
  Runtime runtime(options());
  std::atomic<int> done{0};
  int x = 0;
  runtime.spawn(inout(x), [&] {
    for (int i = 0; i < 10; ++i) {
      first.begin([&] { ++done; }, end_later());
      weir::spawn([&] { second.begin([&] { ++done; }, end_later()); });
    }
  });
  int seen = 0;
  runtime.spawn(in(x), [&] { seen = done; });
  runtime.wait();
  EXPECT_EQ(seen, 20);
}

TEST_P(Completions, ATaskThatWaitsForItsChildrenWaitsForThem) {
  Device device;
  Runtime runtime(options());
  int x = 0, seen = 0;
  runtime.spawn([&] {
    device.begin([&] { x = 7; }, end_later());
    weir::wait();
    seen = x;
  });
  runtime.wait();
  EXPECT_EQ(seen, 7);
}

TEST_P(Completions, MayComeBeforeTheFunctionReturnsAndOnItsOwnThread) {
  Runtime runtime(options());
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    runtime.spawn([&] {
      Completion mine = end_later();
      EXPECT_TRUE(mine);
      mine.complete();
      EXPECT_FALSE(mine);
      ++done;
    });
  }
  runtime.wait();
  EXPECT_EQ(done, 100);
}

TEST_P(Completions, AreMovedAndTheOldOneIsOfNothing) {
  Runtime runtime(options());
  runtime.spawn([&] {
    Completion first = end_later();
    Completion second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_THROW(first.complete(), Error);
    first = std::move(second);
    EXPECT_TRUE(first);
    first.complete();
    EXPECT_THROW(second.complete(), Error);
  });
  EXPECT_NO_THROW(runtime.wait());
  Completion none;
  EXPECT_THROW(none.complete(), Error);
}

TEST_P(Completions, OfSeveralThreadsThatCompleteAtOnceOneDoes) {
  Runtime runtime(options());
  for (int round = 0; round < 50; ++round) {
    std::optional<Completion> shared;
    std::atomic<bool> there{false};
    std::atomic<int> did{0}, refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        spin_until(there);
        try {
          shared->complete();
          ++did;
        } catch (const Error&) {
          ++refused;
        }
      });
    }
    runtime.spawn([&] { shared.emplace(end_later()), there = true; });
    runtime.wait();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(did, 1);
    EXPECT_EQ(refused, 2);
  }
}

std::string what_wait_throws(Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_P(Completions, OneThatIsDestroyedMakesItsTaskFail) {
  Runtime runtime(options());
  int x = 0;
  runtime.spawn(name("forgetful"), inout(x), [] { static_cast<void>(end_later()); });
  EXPECT_EQ(what_wait_throws(runtime),
            "task 'forgetful' ends later, and its Completion was destroyed before complete() was called: keep it until "
            "what the task has begun has ended, then complete it");
  runtime.spawn([] {
    Completion mine = end_later();
    mine = Completion();
  });
  EXPECT_NE(what_wait_throws(runtime), "");
}

TEST_P(Completions, ThatFailMakeTheirTaskFail) {
  Runtime runtime(options());
  std::thread device;
  int x = 0;
  bool ran = false;
  runtime.spawn(inout(x), [&] {
    device = std::thread([mine = end_later()]() mutable {
      mine.fail(std::make_exception_ptr(std::runtime_error("the device is gone")));
    });
  });
  runtime.spawn(in(x), [&] { ran = true; });
  EXPECT_EQ(what_wait_throws(runtime), "the device is gone");
  EXPECT_FALSE(ran);
  device.join();
  runtime.spawn([] {
    Completion mine = end_later();
    EXPECT_THROW(mine.fail(nullptr), Error);
    mine.complete();
  });
  EXPECT_EQ(what_wait_throws(runtime), "");
}

TEST_P(Completions, AreOfTasksAlone) {
  Runtime runtime(options());
  EXPECT_THROW(static_cast<void>(end_later()), Error);
  std::thread([] { EXPECT_THROW(static_cast<void>(end_later()), Error); }).join();
}

// More than the throttle lets a task have of unfinished children.
TEST_P(Completions, AnyNumberOfThemDoesNotHoldUpTheirTask) {
  Options throttled = options();
  throttled.throttle = 16;
  Runtime runtime(throttled);
  std::atomic<int> children{0};
  runtime.spawn([&] {
    std::vector<Completion> all;
    for (int i = 0; i < 200; ++i) {
      all.push_back(end_later());
      weir::spawn([&] { ++children; });
    }
    for (Completion& each : all) each.complete();
  });
  runtime.wait();
  EXPECT_EQ(children, 200);
}

// The end of a runtime waits for whoever is still in complete().
TEST_P(Completions, TheirThreadsMayBeLateWhenTheRuntimeEnds) {
  std::atomic<int> completed{0};
  for (int round = 0; round < 200; ++round) {
    std::thread device;
    {
      Runtime runtime(options());
      runtime.spawn([&] {
        device = std::thread([&completed, mine = end_later()]() mutable {
          ++completed;
          mine.complete();
        });
      });
    }
    EXPECT_EQ(completed, round + 1) << "the runtime has ended before its task";
    device.join();
  }
}

TEST_P(Completions, BlocksStayWhereTheyAreUntilThen) {
  Options tiered = options();
  tiered.tiers = "memory=1MiB,file=/tmp:64MiB";
  Device device;
  Runtime runtime(tiered);
  constexpr std::size_t kInts = 16384, kBlocks = 24;  // of 64 KiB: more than there is memory for
  std::vector<Block<int>> blocks;
  for (std::size_t b = 0; b < kBlocks; ++b) blocks.emplace_back(runtime, kInts);
  for (int round = 0; round < 3; ++round) {
    for (Block<int>& block : blocks) {
      const auto begin = [&, round](std::span<int> ints) {
        device.begin([ints, round] { std::fill(ints.begin(), ints.end(), round + 1); }, end_later());
      };
      if (round == 0)
        runtime.spawn(out(block), begin);
      else
        runtime.spawn(inout(block), begin);
    }
  }
  std::atomic<std::size_t> right{0};
  for (Block<int>& block : blocks) {
    runtime.spawn(in(block), [&](std::span<const int> ints) {
      right += static_cast<std::size_t>(std::count(ints.begin(), ints.end(), 3));
    });
  }
  runtime.wait();
  EXPECT_EQ(right, kInts * kBlocks);
}

}  // namespace
}  // namespace weir
