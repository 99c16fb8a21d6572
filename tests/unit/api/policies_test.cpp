// SPDX-License-Identifier: Apache-2.0

// Domains and policies, on machines that are described.
#include <regex>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::on_machine;

constexpr const char* kTwoSockets = "pack:2 [numa(memory=4GB)] core:4 pu:1";
constexpr const char* kFourDomains = "pack:2 group:2 [numa(memory=4GB)] core:2 pu:2";

struct Case {
  const char* name;
  Policy policy;
};

class Policies : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, Policies,
                         ::testing::Values(Case{"Near", Policy::near}, Case{"Numa", Policy::numa},
                                           Case{"Flat", Policy::flat}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(Policies, RunEverythingThatIsSpawned) {
  Runtime runtime(on_machine(kTwoSockets, 8, GetParam().policy));
  EXPECT_EQ(runtime.domain_count(), 2);
  std::atomic<int> runs{0};
  int x = 0;
  for (int i = 0; i < 400; ++i) {
    runtime.spawn(on_domain(i % 2), [&] { ++runs; });
    runtime.spawn([&] { ++runs; });
    runtime.spawn(inout(x), on_domain((i + 1) % 2), [&] { ++x; });
  }
  runtime.wait();
  EXPECT_EQ(runs, 800);
  EXPECT_EQ(x, 400);
}

TEST_P(Policies, WorkOfAllPrioritiesInAllDomainsIsDone) {
  Runtime runtime(on_machine(kFourDomains, 8, GetParam().policy));
  EXPECT_EQ(runtime.domain_count(), 4);
  std::atomic<int> runs{0};
  for (int i = 0; i < 600; ++i) {
    runtime.spawn(on_domain(i % 4), static_cast<Priority>(i % 3), [&] { ++runs; });
  }
  runtime.wait();
  EXPECT_EQ(runs, 600);
}

TEST_P(Policies, TasksInOtherDomainsMaySpawnAndWait) {
  Runtime runtime(on_machine(kTwoSockets, 4, GetParam().policy));
  std::atomic<int> runs{0};
  for (int i = 0; i < 50; ++i) {
    runtime.spawn(on_domain(i % 2), [&, i] {
      for (int child = 0; child < 5; ++child) spawn(on_domain((i + child) % 2), [&] { ++runs; });
      wait();
      ++runs;
    });
  }
  runtime.wait();
  EXPECT_EQ(runs, 300);
}

TEST_P(Policies, SleepersInOtherDomainsAreWokenForTheirTasks) {
  Runtime runtime(on_machine(kTwoSockets, 8, GetParam().policy));
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    std::atomic<bool> ran{false};
    runtime.spawn(on_domain(1), [&] { ran = true; });
    test::spin_until(ran);  // this thread does not help
  }
  runtime.wait();
}

TEST(PolicyNuma, NoTaskEverRunsOutsideItsDomain) {
  Runtime runtime(on_machine(kTwoSockets, 8, Policy::numa));
  std::atomic<int> strangers{0};
  int x = 0;
  for (int i = 0; i < 2000; ++i) {
    const int domain = i % 2;
    auto body = [&, domain] { strangers += current_domain() != domain; };
    switch (i % 5) {
      case 0: runtime.spawn(on_domain(domain), body); break;
      case 1: runtime.spawn(on_domain(domain), inout(x), body); break;
      case 2: runtime.spawn(on_domain(domain), commutative(x), body); break;
      case 3: runtime.spawn(on_domain(domain), Priority::urgent, body); break;
      default:
        runtime.spawn(on_domain(domain), [&, domain] {
          strangers += current_domain() != domain;
          for (int child = 0; child < 3; ++child) {
            spawn([&, domain] { strangers += current_domain() != domain; });  // where the parent is
          }
          fork_join([&] { strangers += current_domain() != domain; }, [&] { strangers += current_domain() != domain; });
          wait();
          strangers += current_domain() != domain;
        });
    }
  }
  runtime.wait();
  EXPECT_EQ(strangers, 0);
  EXPECT_EQ(runtime.statistics().far_steals, 0u);
}

TEST(PolicyNuma, GuestsKeepToTheDomainTheyAreIn) {
  Runtime runtime(on_machine(kTwoSockets, 4, Policy::numa));
  std::atomic<int> strangers{0};
  std::thread([&] {
    for (int i = 0; i < 300; ++i) {
      const int domain = i % 2;
      runtime.spawn(on_domain(domain), [&, domain] { strangers += current_domain() != domain; });
    }
    runtime.wait();
  }).join();
  EXPECT_EQ(strangers, 0);
}

// Two tasks of one domain, a worker in each of two: they end when both run at a time.
void expect_that_a_far_task_is_stolen(Policy policy) {
  Runtime runtime(on_machine(kTwoSockets, 2, policy));
  std::atomic<int> there{0};
  for (int i = 0; i < 2; ++i) {
    runtime.spawn(on_domain(0), [&] {
      ++there;
      test::spin_until([&] { return there == 2; });
    });
  }
  runtime.wait();
}

TEST(PolicyFlat, AFarTaskIsStolenAtOnce) { expect_that_a_far_task_is_stolen(Policy::flat); }
TEST(PolicyNear, AFarTaskIsStolenAfterAWhile) { expect_that_a_far_task_is_stolen(Policy::near); }

TEST(Domains, ThatDoNotExistAreAnErrorThatSaysHowManyThereAre) {
  Runtime runtime(on_machine(kTwoSockets, 4));
  for (const int domain : {2, 99, -2}) {
    try {
      runtime.spawn(on_domain(domain), [] {});
      ADD_FAILURE() << domain;
    } catch (const Error& error) {
      EXPECT_TRUE(
          std::regex_search(error.what(), std::regex("on_domain\\(" + std::to_string(domain) + "\\).*2 domains")))
          << error.what();
    }
  }
  runtime.wait();
}

TEST(Domains, OnlyThoseWithAWorkerCount) {
  Runtime one(on_machine(kTwoSockets, 1));
  EXPECT_EQ(one.domain_count(), 1);
  Runtime two(on_machine(kTwoSockets, 2));
  EXPECT_EQ(two.domain_count(), 2);
}

}  // namespace
}  // namespace weir
