// SPDX-License-Identifier: Apache-2.0

// Runtimes: several, nested, short-lived, and in forked processes. Counters, idleness, bad options.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;
using test::with_workers;

class Runtimes : public test::ForWorkers {};
WEIR_FOR_WORKERS(Runtimes);

TEST_P(Runtimes, SeveralAtOnceDoNotKnowOfEachOther) {
  Runtime a(options());
  Runtime b(with_workers(2));
  int x = 0, y = 0;
  for (int i = 0; i < 200; ++i) {
    a.spawn(inout(x), [&x] { ++x; });
    b.spawn(inout(y), [&y] { ++y; });
  }
  b.wait();
  EXPECT_EQ(y, 200);
  a.wait();
  EXPECT_EQ(x, 200);
}

TEST_P(Runtimes, ManyThreadsEachWithOne) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Runtime runtime(options());
      long sum = 0;
      for (int i = 0; i < 300; ++i) spawn(reduce(sum, std::plus<>{}, 0L), [](long& copy) { ++copy; });
      wait();
      EXPECT_EQ(sum, 300);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(Runtimes, ATaskMayMakeOneAndGoOnWithItsOwnAfterwards) {
  Runtime outer(options());
  std::atomic<int> runs{0};
  std::atomic<int> outside{0};
  for (int i = 0; i < 8; ++i) {
    outer.spawn([&] {
      std::atomic<int> children{0};
      const int worker = current_worker();
      {
        Runtime inner(with_workers(2));
        for (int k = 0; k < 10; ++k) inner.spawn([&] { ++runs; });
        spawn([&] { ++runs; });
        inner.wait();
      }
      outside += current_worker() != worker;
      for (int k = 0; k < 10; ++k) spawn([&] { ++children; });
      wait();
      EXPECT_EQ(children, 10);
    });
  }
  outer.wait();
  EXPECT_EQ(runs, 8 * 11);
  EXPECT_EQ(outside, 0);
}

TEST_P(Runtimes, ATaskMaySpawnIntoItsOwnRuntimeWhileItHasAnother) {
  Runtime outer(options());
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> children{0};
    auto parent = outer.spawn([&] {
      Runtime inner(with_workers(1));
      for (int k = 0; k < 10; ++k) outer.spawn([&] { ++children; });
    });
    outer.wait(parent);
    EXPECT_EQ(children, 10) << "children of the task, which ends after them";
  }
  outer.wait();
}

// Tasks that the thread of one runs later make children of their own.
TEST(RuntimeLeftByATask, IsNotTheOneThatLaterTasksOfItsThreadSpawnInto) {
  Runtime outer(with_workers(1));
  std::unique_ptr<Runtime> inner, another;
  int children = 0, elsewhere = 0;
  const auto makes_children = [&] {
    for (int i = 0; i < 10; ++i) {
      spawn([&] { ++children; });
    }
  };
  const Handle<void> maker = outer.spawn([&] {
    inner = std::make_unique<Runtime>(with_workers(1));
    outer.spawn(makes_children);
    outer.spawn([&] { another = std::make_unique<Runtime>(with_workers(1)); });  // runs first, in this wait
    outer.wait();
    spawn([&] { ++elsewhere; });  // this one works for `inner` until it ends
  });
  for (int i = 0; i < 10; ++i) outer.spawn(after(maker), makes_children);
  outer.wait();
  EXPECT_EQ(children, 110);
  EXPECT_EQ(elsewhere, 0);
  another.reset();
  inner.reset();
  EXPECT_EQ(elsewhere, 1);
  spawn([&] { ++children; });
  wait();
  EXPECT_EQ(children, 111);
}

TEST(RuntimeLeftByATask, IsNotTheOneThatTasksRunInAForkSpawnInto) {
  Runtime outer(with_workers(1));
  std::unique_ptr<Runtime> inner;
  int children = 0;
  outer.spawn([&] {
    fork_join(
        [&] {
          for (int i = 0; i < 3; ++i) {
            spawn([&] {
              if (inner == nullptr) inner = std::make_unique<Runtime>(with_workers(1));
              spawn([&] { ++children; });
            });
          }
        },
        [] {});
  });
  outer.wait();
  EXPECT_EQ(children, 2) << "all but that of the maker";
  inner.reset();
  EXPECT_EQ(children, 3);
}

TEST_P(Runtimes, DestroyedInAnyOrder) {
  auto a = std::make_unique<Runtime>(options());
  auto b = std::make_unique<Runtime>(options());
  std::atomic<int> runs{0};
  a->spawn([&] { ++runs; });
  a.reset();
  EXPECT_EQ(runs, 1);
  spawn([&] { ++runs; });
  wait();
  EXPECT_EQ(runs, 2);
  auto c = std::make_unique<Runtime>(options());
  b.reset();
  spawn([&] { ++runs; });
  wait();
  EXPECT_EQ(runs, 3);
  c.reset();
  EXPECT_THROW(spawn([] {}), Error);
  EXPECT_EQ(current_worker(), -1);
}

TEST_P(Runtimes, StartAndStopTwoThousandTimes) {
  const int rounds = workers() == 8 ? 300 : 2000;
  std::atomic<int> runs{0};
  for (int i = 0; i < rounds; ++i) {
    Runtime runtime(options());
    if (i % 2 == 0) runtime.spawn([&] { ++runs; });
  }
  EXPECT_EQ(runs, rounds / 2);
}

TEST_P(Runtimes, DestroyedWithTasksPendingRunsThemFirst) {
  std::atomic<int> runs{0};
  for (int round = 0; round < 10; ++round) {
    Runtime runtime(options());
    for (int i = 0; i < 100; ++i) {
      runtime.spawn([&] { spawn([&] { ++runs; }); });
    }
  }
  EXPECT_EQ(runs, 1000);
}

// Spawns tasks when the thread ends that it is of.
struct SpawnsAtTheEnd {
  Runtime* runtime = nullptr;
  std::atomic<int>* runs = nullptr;
  ~SpawnsAtTheEnd() {
    if (runtime == nullptr) return;
    std::vector<Handle<>> all;
    const int domains = runtime->domain_count();
    for (int i = 0; i < 100; ++i) {
      all.push_back(runtime->spawn(on_domain(i % domains), [runs = runs, i, domains] {
        for (int child = 0; child < 3; ++child) spawn(on_domain((i + child) % domains), [runs] { ++*runs; });
        wait();
      }));
    }
    runtime->spawn(after(all), [] { throw std::runtime_error("of a thread that ended"); });
  }
};
thread_local SpawnsAtTheEnd spawns_at_the_end;

TEST(RuntimeEnd, RunsWhatThreadLocalObjectsOfItsWorkersSpawnAsTheyAreDestroyed) {
  for (const Policy policy : {Policy::near, Policy::numa}) {
    std::atomic<int> runs{0};
    ::testing::internal::CaptureStderr();
    {
      Runtime runtime(test::on_machine("pack:2 [numa(memory=4GB)] core:2 pu:1", 4, policy));
      std::atomic<bool> ran{false};
      runtime.spawn([&] {
        spawns_at_the_end.runtime = &runtime;
        spawns_at_the_end.runs = &runs;
        ran = true;
      });
      spin_until(ran);  // on another thread, as this one does not wait
    }
    EXPECT_EQ(runs, 300);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("of a thread that ended"), std::string::npos);
  }
}

// Of two threads that end, one spawns a task that fails, and the other runs it while it waits.
struct FailsAtTheEnd {
  struct Shared {
    Runtime* runtime = nullptr;
    std::atomic<int> holders{0}, enders{0};
    std::atomic<bool> is_spawned{false}, has_run{false};
  };
  Shared* shared = nullptr;
  ~FailsAtTheEnd() {
    if (shared == nullptr) return;
    Runtime& runtime = *shared->runtime;
    if (shared->enders++ == 0) {
      runtime.spawn([of = shared] {
        of->has_run = true;
        throw std::runtime_error("of a task that another thread ran");
      });
      shared->is_spawned = true;
      return;
    }
    spin_until(shared->is_spawned);
    std::thread completer;
    runtime.spawn([&completer, of = shared] {
      completer = std::thread([of, completion = end_later()]() mutable {
        spin_until(of->has_run);
        completion.complete();
      });
    });
    runtime.wait();
    completer.join();
  }
};
thread_local FailsAtTheEnd fails_at_the_end;

TEST(RuntimeEnd, TellsOfATaskThatFailedWhileItsThreadEnded) {
  FailsAtTheEnd::Shared shared;
  ::testing::internal::CaptureStderr();
  {
    Runtime runtime(test::with_workers(3));
    shared.runtime = &runtime;
    for (int i = 0; i < 2; ++i) {
      runtime.spawn([&] {
        fails_at_the_end.shared = &shared;
        for (++shared.holders; shared.holders < 2;) std::this_thread::yield();
      });
    }
    while (shared.holders < 2) std::this_thread::yield();  // on other threads, as this one does not wait
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("of a task that another thread ran"), std::string::npos);
}

TEST_P(Runtimes, PendingTasksMayUseTheRuntimeWhileItIsDestroyed) {
  std::atomic<int> runs{0};
  {
    Runtime runtime(options());
    for (int i = 0; i < 20; ++i) {
      runtime.spawn([&] {
        static_cast<void>(runtime.statistics());
        runtime.spawn([&] { ++runs; });
      });
    }
  }
  EXPECT_EQ(runs, 20);
}

TEST_P(Runtimes, StatisticsCountEachTaskOnce) {
  Runtime runtime(options());
  for (int i = 0; i < 500; ++i) {
    runtime.spawn([] { spawn([] {}); });
  }
  runtime.wait();
  const Statistics statistics = runtime.statistics();
  EXPECT_EQ(statistics.tasks_run, 1000u);
  EXPECT_EQ(statistics.tasks_cancelled, 0u);
  EXPECT_LE(statistics.steals, statistics.tasks_stolen);
  EXPECT_EQ(statistics.far_steals, 0u);
  if (workers() == 1) {
    EXPECT_EQ(statistics.steals, 0u);
  }
  EXPECT_EQ(runtime.worker_count(), workers());
}

TEST_P(Runtimes, AnIdleOneSleeps) {
  if (workers() < 2) GTEST_SKIP() << "nobody to sleep";
  Runtime runtime(options());
  runtime.spawn([] {});
  runtime.wait();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_GT(runtime.statistics().parks, 0u);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  RecordProperty("idle_cpu_ms_of_200",
                 std::to_string(ms(after.ru_utime) + ms(after.ru_stime) - ms(before.ru_utime) - ms(before.ru_stime)));
}

TEST_P(Runtimes, WakesUpFromEveryIdlePeriod) {
  Runtime runtime(options());
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    std::atomic<bool> ran{false};
    runtime.spawn([&] { ran = true; });
    if (workers() > 1) spin_until(ran);  // this thread does not help
    runtime.wait();
    EXPECT_TRUE(ran);
  }
}

// ---- fork() ----

using ForkDeathTest = Runtimes;
INSTANTIATE_TEST_SUITE_P(OfRuntimes, ForkDeathTest, ::testing::Values(2), test::workers_name);

TEST_P(ForkDeathTest, AChildThatUsesTheRuntimeOfItsParentDiesWithAMessage) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  Runtime runtime(options());
  auto handle = runtime.spawn([] { return 1; });
  runtime.wait();
  constexpr const char* kMessage = "made before fork";
  EXPECT_DEATH(runtime.spawn([] {}), kMessage);
  EXPECT_DEATH(runtime.wait(), kMessage);
  EXPECT_DEATH(spawn([] {}), kMessage);
  EXPECT_DEATH(wait(), kMessage);
  EXPECT_DEATH(fork_join([] {}, [] {}), kMessage);
  EXPECT_DEATH(handle.get(), kMessage);
}

// The exit status of a child process that runs `body`; its value is the status.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_P(Runtimes, AChildProcessEndsWithoutTouchingThatOfItsParent) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  auto runtime = std::make_unique<Runtime>(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 50; ++i) runtime->spawn([&runs] { ++runs; });
  EXPECT_EQ(in_child([&runtime] {
              runtime.reset();
              return 7;
            }),
            7);
  runtime->wait();
  EXPECT_EQ(runs, 50);
}

TEST_P(Runtimes, AHandleOfItsParentsIsFinishedInAChildProcess) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  Runtime runtime(options());
  std::atomic<bool> stop{false};
  const Handle<void> task = runtime.spawn([&] {
    while (!stop) std::this_thread::yield();
  });
  EXPECT_EQ(in_child([&] { return task.finished() ? 7 : 8; }), 7);
  stop = true;
  runtime.wait();
}

int use_new_runtime() {
  int x = 0;
  {
    Runtime fresh(with_workers(2));
    for (int i = 0; i < 10; ++i) spawn(inout(x), [&x] { ++x; });
    wait();
  }
  return x + (current_worker() == -1 ? 0 : 100);
}

TEST_P(Runtimes, AChildProcessMayMakeANewOne) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  Runtime runtime(options());
  runtime.spawn([] {});
  runtime.wait();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(in_child(use_new_runtime), 10);
  int x = 0;
  runtime.spawn(inout(x), [&x] { x = 1; });
  runtime.wait();
  EXPECT_EQ(x, 1);
}

TEST_P(Runtimes, AChildProcessMayMakeANewOneWhileOtherThreadsMakeTheirs) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) Runtime(with_workers(1)).wait();
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(in_child(use_new_runtime), 10);
  stop = true;
  other.join();
}

int adopt_in_new_runtime() {
  std::vector<double> data(100), more(100);
  Runtime fresh(with_workers(1));
  const auto block = Block<double>::adopt(fresh, data.data(), data.size());
  const Watched<double> watched(more.data(), 10, 10, 10, 5, 5);
  fresh.spawn(inout(block), [](std::span<double> numbers) { numbers[0] = 1; });
  fresh.wait();
  return data[0] == 1 ? 7 : 8;
}

TEST_P(Runtimes, AChildProcessMayAdoptAndWatchMemoryWhileOtherThreadsWatch) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  std::atomic<bool> stop{false};
  std::vector<double> data(100);
  std::thread other([&] {
    while (!stop) static_cast<void>(Watched<double>(data.data(), 10, 10, 10, 5, 5));
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(in_child(adopt_in_new_runtime), 7);
  stop = true;
  other.join();
}

// The child goes on with an array that another thread names at the same time.
TEST_P(Runtimes, AChildProcessMayNameAWatchedArrayOfItsParent) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  std::vector<double> data(100);
  auto watched = std::make_unique<Watched<double>>(data.data(), 10, 10, 10, 5, 5);
  const auto name = [&] {
    Runtime runtime(with_workers(1));
    runtime.spawn(inout(watched->tile(0, 5, 0, 5)), [](auto) {});
    runtime.wait();
  };
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) name();
  });
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(in_child([&] {
                name();
                watched.reset();
                return 7;
              }),
              7);
  }
  stop = true;
  other.join();
}

TEST_P(Runtimes, ForkAndExecIsSafe) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 5; ++i) {
    runtime.spawn([&] { ++runs; });
    EXPECT_EQ(std::system("true"), 0);
  }
  runtime.wait();
  EXPECT_EQ(runs, 5);
}

// ---- Options ----

std::string error_of(const Options& options) {
  try {
    Runtime runtime(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RuntimeOptions, WhatCannotBeDoneIsSaid) {
  Options options;
  options.workers = 2000;
  EXPECT_NE(error_of(options).find("options.workers=2000"), std::string::npos);
  EXPECT_NE(error_of(options).find("1024"), std::string::npos);
  options.workers = -1;
  EXPECT_NE(error_of(options).find("options.workers=-1"), std::string::npos);
  options = Options();
  options.throttle = -1;
  EXPECT_NE(error_of(options).find("throttle"), std::string::npos);
  options = Options();
  options.prefetch_depth = -1;
  EXPECT_EQ(error_of(options), "options.prefetch_depth=-1: allowed is 0 to 1000000 tasks");
  options = Options();
  options.machine = "pack:2 coer:4";
  EXPECT_NE(error_of(options).find("column"), std::string::npos) << error_of(options);
  options.machine = "/no/such/file.xml";
  EXPECT_NE(error_of(options).find("/no/such/file.xml"), std::string::npos) << error_of(options);
}

TEST(RuntimeOptions, AFailedStartLeavesNothingBehind) {
  Options bad;
  bad.machine = "nonsense:";
  for (int i = 0; i < 20; ++i) EXPECT_THROW(Runtime{bad}, Error);
  EXPECT_EQ(current_worker(), -1);
  Runtime good(with_workers(2));
  EXPECT_EQ(current_worker(), 0);
}

}  // namespace
}  // namespace weir
