// SPDX-License-Identifier: Apache-2.0

// A worker that has run out of tasks asks others.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "processes.hpp"

namespace weir::island {
namespace {

MasterOptions shares(int retries = 0) {
  MasterOptions own;
  own.shares = true;
  own.retries = retries;
  return own;
}

class Sharing : public OnIslands {};

INSTANTIATE_TEST_SUITE_P(Kinds, Sharing,
                         testing::Combine(testing::Values(IslandMemory::coherent, IslandMemory::flush,
                                                          IslandMemory::checked),
                                          testing::Values(1, 2, 8)),
                         name_of);

struct Ran {
  long pid, count;
  long padding[6];
};

// Each second task is long, and all of those go to the same workers. True when each worker's count is right.
bool shares_tasks(Master& master, int rounds) {
  constexpr std::size_t kTasks = 64;
  auto* const ran = master.allocate<Ran>(kTasks);
  std::map<long, std::uint64_t> by_process;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kTasks; ++i) {
      master.spawn(inout(ran[i]), [i](Ran& r) {
        r.pid = ::getpid();
        ++r.count;
        if (i % 2 == 0) ::usleep(200);
      });
    }
    master.wait();
    for (std::size_t i = 0; i < kTasks; ++i) ++by_process[ran[i].pid];
  }
  for (std::size_t i = 0; i < kTasks; ++i)
    if (ran[i].count != rounds) return false;
  std::multiset<std::uint64_t> seen, said;
  for (const auto& [pid, count] : by_process) seen.insert(count);
  for (const WorkerStatistics& worker : master.statistics().workers)
    if (worker.tasks != 0) said.insert(worker.tasks);
  return seen == said;
}

TEST_P(Sharing, WhoRunsOutRunsWhatOthersHaveNotBegun) {
  Master master(options(), shares());
  EXPECT_TRUE(shares_tasks(master, 10));
  if (master.worker_count() == 1) {
    EXPECT_EQ(master.statistics().tasks_shared, 0u);
  } else {
    EXPECT_GT(master.statistics().tasks_shared, 0u);
  }
}

// The master is in a task of its own: nobody but the workers can give one's tasks to the other.
TEST(IslandsThatShare, DoSoWhileTheirMasterIsBusy) {
  MasterOptions own = shares();
  own.runs_when = 8;
  Master master(options_of(2, IslandMemory::coherent), own);
  auto* const x = master.allocate<int>(16 * 40);
  for (std::size_t i = 0; i < 40; ++i)
    master.spawn(inout(x[16 * i]), [i](int& value) {
      ++value;
      ::usleep(i % 2 == 0 ? 500 : 10);
    });
  master.wait();
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(x[16 * i], 1);
}

TEST_P(Sharing, ChildrenOfSharedTasksComeInTheirOrder) {
  Master master(options(3), shares());
  constexpr std::size_t kParents = 60;
  auto* const x = master.allocate<unsigned>(16 * kParents);  // these wrap around
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kParents; ++i) {
      master.spawn(inout(x[16 * i]), [i](unsigned& value) {
        for (unsigned k = 0; k < 30; ++k) spawn(inout(value), [k](unsigned& v) { v = 3 * v + k; });
        if (i % 2 == 0) ::usleep(100);
      });
    }
  }
  master.wait();
  unsigned expected = 0;
  for (int round = 0; round < 3; ++round)
    for (unsigned k = 0; k < 30; ++k) expected = 3 * expected + k;
  for (std::size_t i = 0; i < kParents; ++i) ASSERT_EQ(x[16 * i], expected) << i;
}

// One worker after the other dies in the middle of a task, its own or one that it was given by another worker.
TEST_P(Sharing, WhatADeadWorkerHadOrWasGivenRunsElsewhere) {
  if (std::get<1>(GetParam()) == 1) GTEST_SKIP() << "no worker would be left";
  for (int seed = 1; seed <= 6; ++seed) {
    Token token;
    token.close_writing();
    Master master(options(seed), shares(2));
    auto* const x = master.allocate<unsigned>(16 * 24);
    std::mt19937 random(static_cast<unsigned>(seed));
    std::vector<unsigned> expected(24);
    for (unsigned i = 0; i < 400; ++i) {
      const std::size_t at = random() % 24;
      const unsigned nap = random() % 4 == 0 ? 200 : 0;
      master.spawn(inout(x[16 * at]), [i, nap, seed, reading = token.reading()](unsigned& value) {
        value = 3 * value + i;
        if (nap != 0) ::usleep(nap);
        if (i > 30u * static_cast<unsigned>(seed) && take(reading)) ::raise(SIGKILL);
      });
      expected[at] = 3 * expected[at] + i;
    }
    master.wait();
    for (std::size_t k = 0; k < 24; ++k) ASSERT_EQ(x[16 * k], expected[k]) << "seed " << seed << ", chain " << k;
    EXPECT_EQ(master.statistics().tasks_run, 400u);
  }
}

}  // namespace
}  // namespace weir::island
