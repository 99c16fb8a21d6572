// SPDX-License-Identifier: Apache-2.0

// Workers that are bound to a core each, when another program has that core, or the program's own thread.
#include "sched/lookout.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "platform/affinity.hpp"
#include "runtime/runtime_state.hpp"
#include "weir/completion.hpp"
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

// The same once it is bound, which it is again and again, however busy this machine is.
std::vector<int> where_it_is_bound(Runtime& runtime) {
  const auto until = steady_clock::now() + kLongest;
  std::vector<int> cpus = cpus_of_the_other(runtime);
  while (cpus.size() > 1 && steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cpus = cpus_of_the_other(runtime);
  }
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
    cpus_ = where_it_is_bound(runtime_);
    if (cpus_.size() != 1) GTEST_SKIP() << "workers are not bound here: fewer processors than workers";
  }

  Runtime runtime_{two_workers()};
  std::vector<int> cpus_;
};

// Where it comes back to may be the other core: the thread that spawns may have been on its own.
TEST_F(BoundWorkers, LeaveACoreThatOthersHaveAndComeBack) {
  {
    std::vector<int> its_cpus;
    std::atomic<bool> begun{false}, left{false};
    runtime_.spawn([&] {
      its_cpus = this_thread_cpus();
      begun = true;
      const auto until = steady_clock::now() + kLongest;
      while (!left && steady_clock::now() < until) left = this_thread_cpus().size() > 1;
    });
    while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::optional<Hogs> hogs;
    if (its_cpus.size() == 1) hogs.emplace(its_cpus.front());  // otherwise this machine is so busy that it has left
    runtime_.wait();
    EXPECT_TRUE(left) << "the worker stayed on CPU " << its_cpus.front();
  }
  EXPECT_EQ(where_it_is_bound(runtime_).size(), 1u);
}

// The thread that waits lies down first, and looks after nobody once the worker lies down, too.
TEST_F(BoundWorkers, LeaveACoreThatOthersHaveThoughAllHaveSleptBefore) {
  sched::Scheduler& scheduler = *detail::RuntimeAccess::state(runtime_)->scheduler;
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  std::optional<Completion> end_of_wait;
  std::atomic<bool> runs{false}, over{false};
  runtime_.spawn([&] {
    end_of_wait.emplace(end_later());
    runs = true;
    while (!scheduler.first_worker().rests()) pause();
  });
  while (!runs) pause();
  bool left = false;
  std::thread other([&] {
    while (!scheduler.first_worker().rests() || !scheduler.worker(1).rests()) pause();
    // By then none looks. If one does, the worker leaves, too.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<int> its_cpus;
    std::atomic<bool> begun{false};
    runtime_.spawn([&] {
      its_cpus = this_thread_cpus();
      begun = true;
      const auto until = steady_clock::now() + kLongest;
      while (!left && steady_clock::now() < until) left = this_thread_cpus().size() > 1;
      end_of_wait->complete();
      over = true;
    });
    while (!begun) pause();
    std::optional<Hogs> hogs;
    if (its_cpus.size() == 1) hogs.emplace(its_cpus.front());
    while (!over) pause();  // not wait(): then this thread would look
  });
  runtime_.wait();
  other.join();
  EXPECT_TRUE(left) << "the worker stayed on its core";
}

TEST_F(BoundWorkers, AreGivenAnotherCoreWhereTheThreadThatWakesThemIs) {
  platform::ScopedBinding binding;
  ASSERT_TRUE(binding.bind(cpus_));
  const std::vector<int> now = where_it_is_bound(runtime_);
  ASSERT_EQ(now.size(), 1u);
  EXPECT_NE(now, cpus_);
}

}  // namespace
}  // namespace weir::runtime
