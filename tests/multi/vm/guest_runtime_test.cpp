// SPDX-License-Identifier: Apache-2.0

// Where workers and tasks run in a guest, asked of the kernel from inside the tasks.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "guest_main.hpp"
#include "kernel_view.hpp"
#include "weir/weir.hpp"

namespace weir::guest {
namespace {

Options options_for(Policy policy, Bind bind) {
  Options options;
  options.policy = policy;
  options.bind = bind;
  return options;
}

// Enough arithmetic that a worker is interrupted and stolen from now and then.
void spin(int rounds) {
  volatile int sink = 0;
  for (int i = 0; i < rounds; ++i) sink = sink + i;
}

TEST(GuestRuntime, HasAWorkerPerCoreAndADomainPerNode) {
  Runtime runtime(options_for(Policy::near, Bind::core));
  std::size_t cpus = 0;
  for (const int node : layout->domains) cpus += cpus_of_node(node).size();
  EXPECT_EQ(runtime.domain_count(), int(layout->domains.size()));
  EXPECT_EQ(runtime.worker_count(), int(cpus));
}

// Tasks report the mask of the worker that they run on. Worker 0 is the thread of the program and keeps its whole
// domain.
TEST(GuestRuntime, PinsEachWorkerToACoreOfItsDomainAndTheProgramsThreadToItsDomain) {
  Runtime runtime(options_for(Policy::numa, Bind::core));
  std::mutex mutex;
  std::map<int, std::set<int>> masks;  // by worker; guarded by mutex
  std::map<int, int> domains;          // by worker; guarded by mutex
  for (int i = 0; i < 4000; ++i) {
    runtime.spawn(on_domain(i % runtime.domain_count()), [&] {
      spin(2000);
      const std::lock_guard lock(mutex);
      masks[current_worker()] = own_mask();
      domains[current_worker()] = current_domain();
    });
  }
  runtime.wait();
  std::set<int> pinned;
  for (const auto& [worker, mask] : masks) {
    const std::set<int> node = cpus_of_node(layout->domains[std::size_t(domains[worker])]);
    EXPECT_TRUE(std::includes(node.begin(), node.end(), mask.begin(), mask.end())) << "worker " << worker;
    if (worker == 0) continue;
    ASSERT_EQ(mask.size(), 1u) << "worker " << worker;
    EXPECT_TRUE(pinned.insert(*mask.begin()).second) << "two workers on CPU " << *mask.begin();
  }
  EXPECT_GE(masks.size(), layout->domains.size());
}

// Counts tasks that ran, and those that ran on a CPU outside of their domain's node.
struct Tally {
  std::vector<std::set<int>> cpus;
  std::atomic<int> ran{0};
  std::atomic<int> strayed{0};

  Tally() {
    for (const int node : layout->domains) cpus.push_back(cpus_of_node(node));
  }
  void count(int domain) {
    ran.fetch_add(1);
    if (cpus[std::size_t(domain)].count(sched_getcpu()) == 0 || current_domain() != domain) strayed.fetch_add(1);
  }
};

void run_many(Bind bind) {
  Runtime runtime(options_for(Policy::numa, bind));
  Tally tally;
  constexpr int kTasks = 20000;
  // All tasks of a stretch go to one domain, so that the others are idle and would steal if they could.
  for (int i = 0; i < kTasks; ++i) {
    const int domain = i / 500 % runtime.domain_count();
    runtime.spawn(on_domain(domain), [&tally, domain] {
      tally.count(domain);
      spin(200);
    });
  }
  runtime.wait();
  EXPECT_EQ(tally.ran, kTasks);
  EXPECT_EQ(tally.strayed, 0);
  EXPECT_EQ(runtime.statistics().far_steals, 0u);
}

TEST(GuestRuntime, UnderNumaNoTaskRunsOutsideItsDomain) { run_many(Bind::core); }
TEST(GuestRuntime, UnderNumaNoTaskRunsOutsideItsDomainWhenBoundByDomain) { run_many(Bind::domain); }

TEST(GuestRuntime, UnderNumaChildrenStayInTheDomainOfTheirParent) {
  Runtime runtime(options_for(Policy::numa, Bind::core));
  Tally tally;
  constexpr int kParents = 40, kChildren = 100;
  for (int i = 0; i < kParents; ++i) {
    const int domain = i % runtime.domain_count();
    runtime.spawn(on_domain(domain), [&tally, domain] {
      for (int k = 0; k < kChildren; ++k) {
        spawn([&tally, domain] {
          tally.count(domain);
          spin(200);
        });
      }
    });
  }
  runtime.wait();
  EXPECT_EQ(tally.ran, kParents * kChildren);
  EXPECT_EQ(tally.strayed, 0);
}

TEST(GuestRuntime, UnderNumaASuccessorRunsWhereItWasAskedToWhoeverReleasedIt) {
  Runtime runtime(options_for(Policy::numa, Bind::core));
  Tally tally;
  int value = 0;
  constexpr int kTasks = 400;  // each a wake-up across domains, slow in an emulator
  for (int i = 0; i < kTasks; ++i) {
    const int domain = i % runtime.domain_count();
    runtime.spawn(on_domain(domain), inout(value), [&tally, &value, domain] {
      ++value;
      tally.count(domain);
    });
  }
  runtime.wait();
  EXPECT_EQ(value, kTasks);
  EXPECT_EQ(tally.strayed, 0);
}

TEST(GuestRuntime, TheCallingThreadGetsItsMaskBack) {
  const std::set<int> before = own_mask();
  { Runtime runtime(options_for(Policy::near, Bind::core)); }
  EXPECT_EQ(own_mask(), before);
}

}  // namespace
}  // namespace weir::guest
