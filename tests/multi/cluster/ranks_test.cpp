// SPDX-License-Identifier: Apache-2.0

// Jobs of real processes, by shared memory and, one another's hosts in name, by messages.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "multi/shmem/address_limit.hpp"
#include "multi/shmem/job.hpp"
#include "unit/apps/temporary_folder.hpp"

namespace weir::cluster::multi {
namespace {

using shmem::multi::expect_all_well;
using shmem::multi::Job;
using testing::HasSubstr;

TEST(RankedTasks, RandomGraphsAreAsTasksOneAfterTheOther) {
  expect_all_well(1, "graphs");
  expect_all_well(2, "graphs", {{"WEIR_WORKERS", "2"}});
  expect_all_well(3, "graphs", {{"WEIR_WORKERS", "1"}, {"WEIR_FIRST_SEED", "100"}});
  expect_all_well(5, "graphs", {{"WEIR_WORKERS", "1"}, {"WEIR_FIRST_SEED", "200"}, {"WEIR_SEEDS", "10"}});
}

TEST(RankedTasks, ArraysOfEachNumberOfDimensionsGoThereAndBack) {
  for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "arrays", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, ATileIsSentOnceForEachRankAndVersion) {
  for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "sent-once", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, RanksAccumulateIntoCopiesThatAreFoldedByPairs) {
  for (const int ranks : {1, 2, 3, 6}) expect_all_well(ranks, "sums", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, AFileHoldsTheWholeArrayOrTheTilesOfARank) {
  for (const int ranks : {1, 3}) {
    apps::TemporaryFolder folder;
    expect_all_well(ranks, "files", {{"WEIR_WORKERS", "1"}, {"WEIR_TEST_FOLDER", folder.path()}});
  }
}

TEST(RankedTasks, WhatAFileSystemSaysOnlyWhenItKeepsAFileIsAFailureOfAll) {
  for (const char* const body : {"unkept-file", "unkept-tiles"}) {
    for (const int ranks : {1, 3}) {
      apps::TemporaryFolder folder;
      expect_all_well(ranks, body,
                      {{"WEIR_WORKERS", "1"}, {"WEIR_TEST_FOLDER", folder.path()}, {"WEIR_FAILING_SYNC", "1"}});
    }
  }
}

TEST(RankedTasks, RanksRunWhereAddressesAreFew) {
  const shmem::multi::AddressLimit limit(std::uint64_t{1} << 30);
  if (!limit.is_so()) GTEST_SKIP() << "no such limit here";
  for (const int ranks : {1, 2}) {
    expect_all_well(ranks, "arrays", {{"WEIR_WORKERS", "1"}});
    expect_all_well(ranks, "arrays", {{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=64MiB"}});
  }
}

TEST(RankedTasks, ALimitOnAddressesThatTiersDoNotFitInIsNamed) {
  const shmem::multi::AddressLimit limit(std::uint64_t{1} << 30);
  if (!limit.is_so()) GTEST_SKIP() << "no such limit here";
  Job job(2, "arrays", {{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=1GiB"}});
  for (const auto& end : job.ends()) EXPECT_FALSE(end.well());
  EXPECT_THAT(job.output(), HasSubstr("(ulimit -v is 1 GiB); ask for less (--tiers, WEIR_TIERS)"));
}

TEST(RankedTasks, WhatNoRankCanDoIsRefusedOnEach) { expect_all_well(2, "refusals", {{"WEIR_WORKERS", "1"}}); }

TEST(RankedTasks, AFailureIsToldToAllRanks) {
  for (const int ranks : {1, 2, 3}) expect_all_well(ranks, "failing-task", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, AnArrayThatOneRankCannotMakeIsAFailureOfAll) {
  for (const int ranks : {2, 3}) {
    expect_all_well(ranks, "array-without-room", {{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=4MiB"}});
    expect_all_well(ranks, "throwing-distribution", {{"WEIR_WORKERS", "1"}});
  }
}

TEST(RankedTasks, ATileThatHasAnotherLengthOnAnotherRankIsAFailureOfAll) {
  for (const char* const tile : {"10", "10000"})
    for (const int ranks : {2, 3}) expect_all_well(ranks, "other-sizes", {{"WEIR_WORKERS", "1"}, {"WEIR_TILE", tile}});
}

TEST(RankedTasks, AnArrayWhoseOwnersAreOthersOnAnotherRankIsAFailureOfAll) {
  for (const int ranks : {2, 3}) expect_all_well(ranks, "other-owners", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, AnExceptionOfAnyTypeThatNoWaitTookIsReported) {
  for (const int ranks : {1, 2}) {
    Job job(ranks, "untaken", {{"WEIR_WORKERS", "1"}});
    for (const auto& end : job.ends()) EXPECT_TRUE(end.well()) << job.output();
    EXPECT_THAT(job.output(), HasSubstr("weir: an exception of type int"));
  }
}

TEST(RankedTasks, ARankThatLeavesByAnExceptionEndsTheWaitOfAll) {
  Job job(3, "leaving", {{"WEIR_WORKERS", "1"}});
  const auto ends = job.ends();
  EXPECT_EQ(ends[0].status, 3) << job.output();
  EXPECT_TRUE(ends[1].well() && ends[2].well()) << job.output();
}

TEST(RankedTasks, AKilledRankIsNamedByTheOthers) {
  Job job(3, "killed", {{"WEIR_WORKERS", "1"}});
  const auto ends = job.ends();
  EXPECT_TRUE(ends[0].well() && ends[1].well()) << job.output();
}

TEST(RankedTasks, ArraysLargerThanTheMemoryOfAllRanksAreInTheirFiles) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=1MiB,file=/tmp:64MiB"}};
  for (const int ranks : {1, 2, 3}) expect_all_well(ranks, "more-than-memory", tight);
}

TEST(RankedTasks, RandomGraphsInTightMemoryAreAsTasksOneAfterTheOther) {
  const Job::Variables tight{
      {"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=1MiB,file=/tmp:64MiB"}, {"WEIR_GRAPH_MOST_WORDS", "16000"}};
  for (const int ranks : {2, 3}) expect_all_well(ranks, "graphs", tight);
}

TEST(RankedTasks, RandomGraphsWithFewCopiesAreAsTasksOneAfterTheOther) {
  for (const char* const most : {"1", "20", "700"}) {
    const Job::Variables few{{"WEIR_WORKERS", "1"}, {"WEIR_RANK_COPIES", most}};
    for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "graphs", few);
  }
}

TEST(RankedTasks, RandomGraphsThatDropCopiesAreAsTasksOneAfterTheOther) {
  Job::Variables drops{{"WEIR_WORKERS", "2"}, {"WEIR_GRAPH_DROPS", "20"}};
  for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "graphs", drops);
  drops.emplace_back("WEIR_RANK_COPIES", "40");
  for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "graphs", drops);
}

TEST(RankedTasks, RandomGraphsWithFewCopiesInTightMemoryAreAsTasksOneAfterTheOther) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"},
                             {"WEIR_TIERS", "memory=1MiB,file=/tmp:64MiB"},
                             {"WEIR_GRAPH_MOST_WORDS", "16000"},
                             {"WEIR_GRAPH_DROPS", "10"},
                             {"WEIR_RANK_COPIES", "300"}};
  for (const int ranks : {2, 3}) expect_all_well(ranks, "graphs", tight);
}

TEST(RankedTasks, ARanksMemoryDoesNotGrowBeyondItsTilesAndTheLimitOfCopies) {
  for (const int ranks : {1, 2, 4}) {
    expect_all_well(ranks, "few-copies", {{"WEIR_WORKERS", "1"}, {"WEIR_RANK_COPIES", "512"}});
    expect_all_well(ranks, "few-copies", {{"WEIR_WORKERS", "2"}, {"WEIR_RANK_COPIES", "0"}});
  }
}

TEST(RankedTasks, CopiesThatAreDroppedGiveTheirMemoryBack) {
  for (const int ranks : {1, 2, 4}) expect_all_well(ranks, "dropped", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, RanksThatWereGivenOtherLimitsOfCopiesRefuseToBegin) {
  expect_all_well(2, "limits-differ", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, ARankThatCannotSpawnItsTaskIsAFailureOfAll) {
  for (const int ranks : {1, 3}) expect_all_well(ranks, "failing-copy", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, AFileThatIsMissingOrTooShortIsAFailureOfAll) {
  for (const int ranks : {1, 3}) {
    apps::TemporaryFolder folder;
    for (const char* const body : {"missing-file", "short-file"})
      expect_all_well(ranks, body, {{"WEIR_WORKERS", "1"}, {"WEIR_TEST_FOLDER", folder.path()}});
  }
}

TEST(RankedTasks, ATileThatIsNotThereIsNamedByItsArrayWhereNoneIsOwned) {
  Job job(2, "no-such-tile", {{"WEIR_WORKERS", "1"}});
  EXPECT_NE(job.ends().back().signal, 0) << job.output();
  EXPECT_THAT(job.output(), HasSubstr("array \"a\" has no tile(1): it has 1 tiles"));
}

TEST(RankedTasks, ARankThatEndsWhileOthersWaitInABarrierIsNamed) {
  for (const int ranks : {1, 2, 3, 5}) expect_all_well(ranks, "left-early", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, WhoWaitsForATileOfARankThatHasEndedIsTold) {
  for (const int ranks : {2, 3}) {
    expect_all_well(ranks, "awaits-ended", {{"WEIR_WORKERS", "1"}});
    expect_all_well(ranks, "offers-to-ended", {{"WEIR_WORKERS", "1"}});
  }
}

TEST(RankedTasks, WhoWaitsForATileOfARankThatIsInABarrierIsTold) {
  expect_all_well(2, "awaits-in-barrier", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, RanksThatWaitForOneAnotherAreToldWhichAndForWhichTiles) {
  for (const int ranks : {2, 3}) {
    expect_all_well(ranks, "spawns-its-own", {{"WEIR_WORKERS", "1"}});
    expect_all_well(ranks, "reads-nothing", {{"WEIR_WORKERS", "2"}});
  }
}

TEST(RankedTasks, WhoWaitsForARankThatWaitsForOneInABarrierIsToldOfThat) {
  expect_all_well(3, "waits-for-who-waits", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, RanksThatWaitForWhatTakesLongGoOn) {
  for (const char* const ends_later : {"0", "1"})
    expect_all_well(3, "waits-for-long", {{"WEIR_WORKERS", "1"}, {"WEIR_ENDS_LATER", ends_later}});
}

TEST(RankedTasks, WhatOneRankAloneHasRefusedIsAFailureOfAllThoughItsProgramGoesOn) {
  for (const char* const call : {"0", "1", "2", "3", "4", "5"})
    for (const int ranks : {2, 3})
      expect_all_well(ranks, "refused-on-one", {{"WEIR_WORKERS", "1"}, {"WEIR_CALL", call}});
}

TEST(RankedTasks, WhatAllHaveRefusedIsNoFailureThoughTheyHaveMadeOtherNumbersOfCalls) {
  expect_all_well(3, "refused-on-all", {{"WEIR_WORKERS", "1"}});
  expect_all_well(2, "refused-later", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, WhoWaitsForARankIsToldWhatItsLastTaskHasThrown) {
  expect_all_well(2, "fails-at-the-end", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, AFileThatARankWithoutTilesCannotOpenIsAFailureOfAll) {
  for (const char* const whole : {"0", "1"}) {
    for (const char* const written : {"0", "1"}) {
      apps::TemporaryFolder folder;
      expect_all_well(3, "file-of-no-tiles",
                      {{"WEIR_WORKERS", "1"},
                       {"WEIR_TEST_FOLDER", folder.path()},
                       {"WEIR_WHOLE", whole},
                       {"WEIR_WRITTEN", written}});
    }
  }
}

TEST(RankedTasks, AProgramThatARankStartsIsToldThatItIsNotThatRank) {
  Job job(2, "nested", {{"WEIR_WORKERS", "1"}});
  for (const auto& end : job.ends()) EXPECT_TRUE(end.well()) << job.output();
  EXPECT_THAT(job.output(), HasSubstr("this process was started by rank 1 of the job"));
}

TEST(RankedTasks, ARankWhoseLockIsGoneIsNotTakenForOneThatHasEnded) {
  for (const int ranks : {2, 3}) expect_all_well(ranks, "closes-descriptors", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, APipeIsNoFileOfTiles) {
  for (const char* const written : {"0", "1"}) {
    apps::TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder.path() + "/pipe").c_str(), 0600), 0);
    expect_all_well(2, "pipe-for-file",
                    {{"WEIR_WORKERS", "1"}, {"WEIR_TEST_FOLDER", folder.path()}, {"WEIR_WRITTEN", written}});
  }
}

TEST(RankedTasks, AFailureWithALongTextIsToldWithItsBeginning) {
  expect_all_well(3, "long-text", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, ARankThatWaitsOnceMoreThanOthersIsToldWhatItWaitsFor) {
  apps::TemporaryFolder folder;
  expect_all_well(2, "extra-wait",
                  {{"WEIR_WORKERS", "1"}, {"WEIR_CHECKPOINT", folder.path()}, {"WEIR_CHECKPOINT_EVERY", "0"}});
}

TEST(RankedTasks, CallsInATaskAreRefused) {
  for (const int ranks : {1, 2}) expect_all_well(ranks, "in-task", {{"WEIR_WORKERS", "1"}});
}

TEST(RankedTasks, RanksThatWereGivenOtherCheckpointsRefuseToBegin) {
  for (const char* const variable : {"WEIR_CHECKPOINT", "WEIR_RESTART"})
    expect_all_well(2, "settings-differ", {{"WEIR_WORKERS", "1"}, {"WEIR_TEST_VARIABLE", variable}});
}

// The line that begins with "sums".
std::string rounded_sums(int ranks, const Job::Variables& variables) {
  Job job(ranks, "rounded-sums", variables);
  for (const auto& end : job.ends()) EXPECT_TRUE(end.well()) << job.output();
  const std::size_t begin = job.output().find("sums ");
  if (begin == std::string::npos) return job.output();
  return job.output().substr(begin, job.output().find('\n', begin) - begin);
}

TEST(RankedTasks, SumsOfRoundedNumbersHaveTheSameBitsWithCheckpointsAndAfterARestart) {
  apps::TemporaryFolder often, once;
  const std::string right = rounded_sums(3, {{"WEIR_WORKERS", "1"}});
  EXPECT_THAT(right, HasSubstr("sums 0x"));
  EXPECT_EQ(rounded_sums(3, {{"WEIR_WORKERS", "1"}, {"WEIR_CHECKPOINT", often.path()}, {"WEIR_CHECKPOINT_EVERY", "0"}}),
            right);
  EXPECT_EQ(
      rounded_sums(3, {{"WEIR_WORKERS", "1"}, {"WEIR_CHECKPOINT", once.path()}, {"WEIR_CHECKPOINT_EVERY", "1000000"}}),
      right);
  EXPECT_EQ(rounded_sums(3, {{"WEIR_WORKERS", "1"}, {"WEIR_RESTART", once.path()}}), right);
}

TEST(RankedTasks, ATaskAsksWhereATileIsThatIsAnotherRanks) {
  for (const char* const most : {"0", "1"})
    for (const int ranks : {1, 3}) expect_all_well(ranks, "views", {{"WEIR_WORKERS", "1"}, {"WEIR_RANK_COPIES", most}});
}

TEST(RankedTasks, ATaskWithoutRoomIsAFailureOfAllRanks) {
  const Job::Variables tight{{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=1MiB,file=/tmp:64MiB"}};
  for (const int ranks : {1, 3}) expect_all_well(ranks, "too-large", tight);
}

}  // namespace
}  // namespace weir::cluster::multi
