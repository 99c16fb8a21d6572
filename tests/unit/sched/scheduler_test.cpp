// SPDX-License-Identifier: Apache-2.0

// Where workers are placed, on machines that are described.
#include "sched/scheduler.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <thread>

namespace weir::sched {
namespace {

std::unique_ptr<Scheduler> start(const char* description, int workers, Policy policy = Policy::near) {
  Options options;
  options.workers = workers;
  options.policy = policy;
  auto machine = machine::Machine::from_description(description);
  if (!machine) {
    ADD_FAILURE() << machine.status().message;
    return nullptr;
  }
  auto scheduler = Scheduler::start(*machine, options, std::uint64_t{1} << 48);
  if (!scheduler) {
    ADD_FAILURE() << scheduler.status().message;
    return nullptr;
  }
  return std::move(*scheduler);
}

std::map<int, int> workers_by_domain(Scheduler& scheduler) {
  std::map<int, int> count;
  scheduler.for_each_worker([&](const Worker& worker) { ++count[worker.domain()]; });
  return count;
}

constexpr const char* kTwoSockets = "pack:2 [numa(memory=4GB)] core:4 pu:1";
constexpr const char* kFourGroups = "pack:2 group:2 [numa(memory=4GB)] core:2 pu:1";

TEST(Scheduler, OneWorkerPerCoreByDefault) {
  const auto scheduler = start(kTwoSockets, 0);
  EXPECT_EQ(scheduler->worker_count(), 8);
  EXPECT_EQ(scheduler->domain_count(), 2);
}

TEST(Scheduler, WorkersAreDealtOutToTheDomainsInTurn) {
  EXPECT_EQ(workers_by_domain(*start(kTwoSockets, 2)), (std::map<int, int>{{0, 1}, {1, 1}}));
  EXPECT_EQ(workers_by_domain(*start(kTwoSockets, 5)), (std::map<int, int>{{0, 3}, {1, 2}}));
  EXPECT_EQ(workers_by_domain(*start(kFourGroups, 6)), (std::map<int, int>{{0, 2}, {1, 2}, {2, 1}, {3, 1}}));
}

TEST(Scheduler, MoreWorkersThanCoresGoRoundAgain) {
  EXPECT_EQ(workers_by_domain(*start(kTwoSockets, 20)), (std::map<int, int>{{0, 10}, {1, 10}}));
}

TEST(Scheduler, DomainsWithoutAWorkerDoNotCount) {
  EXPECT_EQ(start(kTwoSockets, 1)->domain_count(), 1);
  EXPECT_EQ(start(kFourGroups, 3)->domain_count(), 3);
}

TEST(Scheduler, EachDomainKnowsTheOthersNearestFirst) {
  const auto scheduler = start(kFourGroups, 8);
  for (int domain = 0; domain < 4; ++domain) {
    const std::vector<int>& far = scheduler->queues(domain).far;
    ASSERT_EQ(far.size(), 3u);
    for (const int other : far) EXPECT_NE(other, domain);
    EXPECT_EQ(far.front() / 2, domain / 2) << "the other group of the same socket";
  }
}

TEST(Scheduler, DomainsParkTogetherUnlessTheyKeepApart) {
  const auto near = start(kTwoSockets, 4);
  EXPECT_EQ(&near->lot(0), &near->lot(1));
  const auto numa = start(kTwoSockets, 4, Policy::numa);
  EXPECT_NE(&numa->lot(0), &numa->lot(1));
}

TEST(Scheduler, IndicesAreThoseOfTheWorkersAndTheThreadIsTheFirst) {
  const auto scheduler = start(kTwoSockets, 4);
  int next = 0;
  scheduler->for_each_worker([&](const Worker& worker) { EXPECT_EQ(worker.index(), next++); });
  EXPECT_EQ(scheduler->first_worker().index(), 0);
  EXPECT_EQ(scheduler->worker_of_this_thread(), nullptr) << "worker 0 is not a thread of the scheduler's own";
}

TEST(Scheduler, AGuestIsReusedOnceItsThreadHasLeft) {
  const auto scheduler = start(kTwoSockets, 2);
  Worker* const first = *scheduler->add_guest();
  Worker* const second = *scheduler->add_guest();
  EXPECT_NE(first, second);
  EXPECT_EQ(first->index(), 2);
  scheduler->release_guest(first);
  EXPECT_EQ(*scheduler->add_guest(), first);
  for (int i = 2; i < Scheduler::kMaxGuests; ++i) ASSERT_TRUE(scheduler->add_guest());
  const auto refused = scheduler->add_guest();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().message,
            "1024 threads of the program use one runtime, in addition to its workers, and another one wants to: at "
            "most 1024 can "
            "at a time; let fewer threads spawn and wait, or end some that do not any more");
  scheduler->release_guest(second);
  EXPECT_EQ(*scheduler->add_guest(), second);
}

TEST(Scheduler, WorkersThatShareCoresMayRunOnAllOfTheirDomain) {
  const auto machine = machine::Machine::discover();
  ASSERT_TRUE(machine) << machine.status().message;
  Options options;
  options.workers = machine->core_count() + 1;
  const auto scheduler = Scheduler::start(*machine, options, std::uint64_t{1} << 48);
  ASSERT_TRUE(scheduler) << scheduler.status().message;
  const Worker& last = (*scheduler)->worker(options.workers - 1);
  while (last.thread() == 0) std::this_thread::yield();
  std::size_t cpus = 0;
  const auto domain = static_cast<std::size_t>((*scheduler)->machine_domain(last.domain()));
  for (const auto& core : machine->domains()[domain].cores) cpus += core.os_cpus.size();
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(last.thread(), sizeof mask, &mask), 0);
  EXPECT_EQ(static_cast<std::size_t>(CPU_COUNT(&mask)), cpus);
}

}  // namespace
}  // namespace weir::sched
