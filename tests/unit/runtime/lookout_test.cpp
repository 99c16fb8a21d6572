// SPDX-License-Identifier: Apache-2.0

// Workers that are bound to a core each, when another program has that core, or the program's own thread.
#include "sched/lookout.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "platform/affinity.hpp"
#include "weir/weir.hpp"

namespace weir::runtime {
namespace {

using platform::this_thread_cpus;
using std::chrono::steady_clock;

// Far more than it takes: what is waited for happens within milliseconds on an idle machine.
constexpr std::chrono::seconds kLongest{20};

Options two_workers() {
  Options options;
  options.workers = 2;
  return options;
}

// Where a task may run that the other worker runs.
std::vector<int> cpus_of_the_other(Runtime& runtime) {
  std::vector<int> cpus;
  std::atomic<bool> ran{false};
  runtime.spawn([&] {
    cpus = this_thread_cpus();
    ran = true;
  });
  while (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  runtime.wait();
  return cpus;
}

// Threads of another program, for all that the system knows, on one CPU.
class Hogs {
 public:
  explicit Hogs(int cpu) {
    for (int i = 0; i < 4; ++i) {
      threads_.emplace_back([this, cpu] {
        static_cast<void>(platform::bind_this_thread_to(cpu));
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Hogs() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Hogs(const Hogs&) = delete;
  Hogs& operator=(const Hogs&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

class BoundWorkers : public testing::Test {
 protected:
  void SetUp() override {
    if (this_thread_cpus().size() < 2) GTEST_SKIP() << "one CPU";
    cpus_ = cpus_of_the_other(runtime_);
    if (cpus_.size() != 1) GTEST_SKIP() << "workers are not bound here: fewer processors than workers";
  }

  Runtime runtime_{two_workers()};
  std::vector<int> cpus_;
};

TEST_F(BoundWorkers, LeaveACoreThatOthersHaveAndComeBack) {
  {
    std::atomic<bool> begun{false}, left{false};
    runtime_.spawn([&] {
      begun = true;
      const auto until = steady_clock::now() + kLongest;
      while (!left && steady_clock::now() < until) left = this_thread_cpus().size() > 1;
    });
    while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const Hogs hogs(cpus_.front());
    runtime_.wait();
    EXPECT_TRUE(left) << "the worker stayed on CPU " << cpus_.front();
  }
  const auto until = steady_clock::now() + kLongest;
  std::vector<int> cpus;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cpus = cpus_of_the_other(runtime_);
  } while (cpus.size() > 1 && steady_clock::now() < until);
  EXPECT_EQ(cpus, cpus_);
}

TEST_F(BoundWorkers, AreGivenAnotherCoreWhereTheThreadThatWakesThemIs) {
  platform::ScopedBinding binding;
  ASSERT_TRUE(binding.bind(cpus_));
  const std::vector<int> now = cpus_of_the_other(runtime_);
  ASSERT_EQ(now.size(), 1u);
  EXPECT_NE(now, cpus_);
}

}  // namespace
}  // namespace weir::runtime
