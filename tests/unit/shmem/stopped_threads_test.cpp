// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/stopped_threads.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "base/sanitizers.hpp"

namespace weir::shmem {
namespace {

// Threads that do the same again and again until they are gone.
class Busy {
 public:
  Busy(int threads, const std::function<void()>& step) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, step] {
        ++started_;
        while (!ends_) {
          step();
          ++steps_;
        }
      });
    }
    while (started_ < threads) sched_yield();
    wait_for_a_step();
  }
  ~Busy() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  long steps() const { return steps_; }
  void wait_for_a_step() const {
    for (const long before = steps_; steps_ == before;) sched_yield();
  }

 private:
  std::vector<std::thread> threads_;
  std::atomic<bool> ends_{false};
  std::atomic<int> started_{0};
  std::atomic<long> steps_{0};
};

TEST(StoppedThreads, DoNothingUntilTheyRunAgain) {
  if (WEIR_TSAN != 0) GTEST_SKIP() << "its handlers run later, in a call of the thread";
  const Busy busy(3, [] {});
  for (int round = 0; round < 10; ++round) {
    {
      const StoppedThreads stopped;
      const long before = busy.steps();
      for (int i = 0; i < 1000; ++i) sched_yield();
      EXPECT_EQ(busy.steps(), before);
    }
    busy.wait_for_a_step();
  }
}

// All have one heap, and pieces are too large for what each thread keeps for itself.
TEST(StoppedThreads, MayHoldTheLockOfTheHeap) {
  mallopt(M_ARENA_MAX, 1);
  const Busy busy(3, [] {
    void* volatile piece = std::malloc(3000);
    std::free(piece);
  });
  for (int round = 0; round < 40; ++round) {
    { const StoppedThreads stopped; }
    busy.wait_for_a_step();
  }
}

TEST(StoppedThreads, AreFoundAmongThreadsThatComeAndGo) {
  const Busy busy(2, [] { std::thread([] {}).join(); });
  for (int round = 0; round < 50; ++round) {
    { const StoppedThreads stopped; }
    busy.wait_for_a_step();
  }
}

TEST(StoppedThreads, LeaveTheSignalsOfTheThreadThatStopsThem) {
  const Busy busy(1, [] {});
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const StoppedThreads stopped;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGTERM), 1);
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

TEST(ThreadFiles, TheLimitOfOpenFilesIsNamedWhereItIsTheReason) {
  const auto open_at_a_limit = [] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    const ThreadFiles threads;
  };
  EXPECT_EXIT(open_at_a_limit(), testing::ExitedWithCode(1),
              "raise the limit of open files of the process .ulimit -n.");
}

TEST(ThreadFiles, TellWhichSignalsAThreadBlocks) {
  ThreadFiles threads;
  std::vector<int> found;
  threads.each([&](int thread) { found.push_back(thread); });
  ASSERT_EQ(std::count(found.begin(), found.end(), gettid()), 1);
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  EXPECT_TRUE(threads.blocks(gettid(), SIGUSR2));
  EXPECT_FALSE(threads.blocks(gettid(), SIGRTMIN + 7));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(threads.blocks(gettid(), SIGUSR2));
  int ended = 0;
  std::thread([&] { ended = gettid(); }).join();
  EXPECT_TRUE(threads.blocks(ended, SIGUSR2)) << "one that is not there";
}

}  // namespace
}  // namespace weir::shmem
