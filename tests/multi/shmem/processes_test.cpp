// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "multi/shmem/job.hpp"

namespace weir::shmem::multi {
namespace {

using testing::HasSubstr;

// How PEs reach one another: by memory, by channels, and by both.
const Job::Variables kNear, kApart{{"WEIR_SHMEM_REMOTE", "all"}}, kMixed{{"WEIR_SHMEM_REMOTE", "odd"}};

void expect_well_everywhere(const std::string& body) {
  for (const int pes : {1, 2, 4}) expect_all_well(pes, body, kNear);
  expect_all_well(2, body, kApart);
  expect_all_well(3, body, kMixed);
}

std::set<std::string> shared_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) names.insert(entry.path().string());
  return names;
}

// Of the files that are new, those of other tests go when these end; what a job has left would stay.
void expect_nothing_left(const std::set<std::string>& before) {
  std::set<std::string> left = shared_files();
  std::erase_if(left, [&](const std::string& name) { return before.contains(name); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::set<std::string> now = shared_files();
    std::erase_if(left, [&](const std::string& name) { return !now.contains(name); });
  }
  EXPECT_THAT(left, testing::IsEmpty());
}

TEST(ShmemProcesses, VariablesOfThePositionIndependentProgramAndOfASharedLibraryAreSymmetric) {
  expect_well_everywhere("static");
}
TEST(ShmemProcesses, ForkedChildrenHaveVariablesOfTheirOwn) { expect_well_everywhere("fork"); }
TEST(ShmemProcesses, ThreadsThatRunBeforeTheStartLoseNoWrite) {
  for (const int pes : {1, 2}) expect_all_well(pes, "threads-before");
}
TEST(ShmemProcesses, TheHeapIsSymmetricAndSaysNullAlike) { expect_well_everywhere("heap"); }
TEST(ShmemProcesses, APartitionIsAHeapOfItsOwn) {
  expect_all_well(2, "partitions", {{"SHMEM_SYMMETRIC_PARTITION2", "size=4M"}});
}
TEST(ShmemProcesses, TheLibraryStartsAndEndsAgain) {
  expect_all_well(1, "again");
  expect_all_well(3, "again");
}
TEST(ShmemProcesses, AProgramThatReturnsIsEnded) { expect_all_well(3, "returns"); }

TEST(ShmemProcesses, PutsAndGetsOfAnySizeArrive) { expect_well_everywhere("puts"); }
TEST(ShmemProcesses, StridesAndBlocks) { expect_well_everywhere("strides"); }
TEST(ShmemProcesses, AtomicsOfAllTypes) { expect_well_everywhere("atomics"); }
TEST(ShmemProcesses, FencesAndSignalsKeepTheOrder) { expect_well_everywhere("order"); }
TEST(ShmemProcesses, WaitsForOneSomeAndAllWords) { expect_well_everywhere("waits"); }
TEST(ShmemProcesses, LocksExcludeAndGoOn) { expect_well_everywhere("locks"); }
TEST(ShmemProcesses, ContextsCompleteTheirOwn) { expect_well_everywhere("contexts"); }
TEST(ShmemProcesses, ThreadsCallAnythingAtAnyTime) {
  for (const int pes : {1, 2}) expect_all_well(pes, "threads", kNear);
  expect_all_well(2, "threads", kApart);
}
TEST(ShmemProcesses, MorePesThanProcessorsWaitForOneAnother) {
  expect_all_well(8, "ring", kNear);
  expect_all_well(8, "ring", kMixed);
}

// A PE is killed while the others wait in every way; all end, and say which one is gone.
TEST(ShmemProcesses, AKilledPeEndsTheJobWithItsName) {
  const std::set<std::string> before = shared_files();
  for (const char* const body : {"wait-for-ever", "lock-for-ever", "meet-for-ever"}) {
    for (const int victim : {0, 2}) {
      Job job(3, body);
      ASSERT_TRUE(job.wait_for_lines("is ready", 3)) << job.output();
      job.kill(victim);
      const auto ends = job.ends();
      for (int pe = 0; pe < 3; ++pe) EXPECT_FALSE(ends[static_cast<std::size_t>(pe)].well()) << body << " PE " << pe;
      EXPECT_THAT(job.output(), HasSubstr("PE " + std::to_string(victim) + " is lost")) << body;
    }
  }
  expect_nothing_left(before);
}

// WEIR_SHMEM_KILLS=100 for as many.
TEST(ShmemProcesses, AKillAtAnyMomentEndsTheJobWithTheNameAndLeavesNothing) {
  const std::set<std::string> before = shared_files();
  const char* const wanted = std::getenv("WEIR_SHMEM_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 8;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < kills; ++i) {
    const int pes = 2 + static_cast<int>(random() % 3),
              victim = static_cast<int>(random() % static_cast<unsigned>(pes));
    Job job(pes, "busy-for-ever", random() % 2 == 0 ? kNear : kMixed);
    ASSERT_TRUE(job.wait_for_lines("is ready", 1 + static_cast<int>(random() % 40))) << job.output();
    job.kill(victim);
    const auto ends = job.ends();
    for (const auto& end : ends) EXPECT_FALSE(end.well());
    EXPECT_THAT(job.output(), HasSubstr("PE " + std::to_string(victim) + " is lost"));
  }
  expect_nothing_left(before);
}

TEST(ShmemProcesses, GlobalExitEndsPesThatWaitAndPesThatCompute) {
  Job job(4, "global-exit");
  const auto ends = job.ends();
  EXPECT_EQ(ends[3].status, 42);
  for (const auto& end : ends) EXPECT_FALSE(end.well()) << job.output();
}

TEST(ShmemProcesses, APeThatExitsWithAStatusEndsTheJob) {
  Job job(3, "exit");
  const auto ends = job.ends();
  EXPECT_EQ(ends[2].status, 3);
  for (const auto& end : ends) EXPECT_FALSE(end.well()) << job.output();
  EXPECT_THAT(job.output(), HasSubstr("PE 2 ends with status 3 and without shmem_finalize"));
}

void expect_failure(const std::string& body, const std::vector<std::string>& texts,
                    const Job::Variables& variables = {}) {
  Job job(2, body, variables);
  const auto ends = job.ends();
  EXPECT_FALSE(ends[0].well() && ends[1].well()) << body;
  for (const std::string& text : texts) EXPECT_THAT(job.output(), HasSubstr(text)) << body;
}

TEST(ShmemProcesses, ErrorsOfTheProgramAreNamed) {
  expect_failure("before-the-start", {"called before shmem_init"});
  expect_failure("no-such-pe", {"PE 2 does not exist: there are 2, from 0 to 1"});
  expect_failure("on-the-stack", {"is not symmetric", "is on a stack"});
  expect_failure("beyond-the-end", {"64 bytes at", "go beyond the heap", "are 10 bytes"});
  expect_failure("not-aligned", {"is not a multiple of 8"});
  expect_failure("not-allocated", {"was not given by shmem_malloc"});
  expect_failure("lock-not-set", {"the lock is not set"});
  expect_failure("unknown-comparison", {"comparison 17 is unknown"});
}

TEST(ShmemProcesses, ADestThatIsNotSymmetricIsNamedByAPutWithASignalHoweverThePeIsReached) {
  for (const char* const body : {"signal-on-the-stack", "signal-on-the-stack-nbi"})
    for (const Job::Variables& variables : {kNear, kApart})
      expect_failure(body, {"is not symmetric", "is on a stack"}, variables);
}

TEST(ShmemProcesses, APageThatCannotBeHadIsNamed) {
  expect_failure("no-page", {" of 2: SIGBUS: there is no memory on this host for a page of the heap of PE ", ", at 0x",
                             ". Touch less memory, or start fewer PEs on a host\n"});
  Job job(1, "no-page-of-its-own");
  EXPECT_FALSE(job.ends()[0].well());
  EXPECT_THAT(job.output(), testing::Not(HasSubstr("there is no memory")));
}

TEST(ShmemProcesses, HeapsThatCannotBeAreRefusedWithTheNumbers) {
  expect_failure("heap", {"SHMEM_SYMMETRIC_SIZE=much: much is no size"}, {{"SHMEM_SYMMETRIC_SIZE", "much"}});
  expect_failure("heap", {"SHMEM_SYMMETRIC_PARTITION3", "kind glue is unknown"},
                 {{"SHMEM_SYMMETRIC_PARTITION3", "size=1M:kind=glue"}});
  expect_failure("heap", {"SHMEM_SYMMETRIC_PARTITION2", "this machine has no such memory"},
                 {{"SHMEM_SYMMETRIC_PARTITION2", "size=1M:kind=nvm"}});
}

}  // namespace
}  // namespace weir::shmem::multi
