// SPDX-License-Identifier: Apache-2.0

// OCR programs as jobs of real processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

#include "base/sanitizers.hpp"
#include "multi/shmem/address_limit.hpp"
#include "multi/shmem/job.hpp"

namespace weir::ocr::multi {
namespace {

using shmem::multi::expect_all_well;
using shmem::multi::Job;
using testing::HasSubstr;

const Job::Variables kOneWorker{{"WEIR_WORKERS", "1"}};

void expect_well_on_any(const char* body) {
  for (const int ranks : {1, 2, 3}) expect_all_well(ranks, body, kOneWorker);
  expect_all_well(2, body, {{"WEIR_WORKERS", "3"}});
}

// Every rank ends with that status, and some say so.
void expect_all_end(int ranks, const char* body, int status, const char* text) {
  Job job(ranks, body, kOneWorker);
  for (const auto& end : job.ends()) EXPECT_EQ(end.status, status) << job.output();
  EXPECT_THAT(job.output(), HasSubstr(text));
}

TEST(OcrRanks, ARankThatCannotBeginSaysWhyAndAllEnd) {
  for (const int ranks : {2, 3}) {
    Job job(ranks, "places", kOneWorker, {{"WEIR_TIERS", "memory=90TiB"}});
    for (const auto& end : job.ends()) EXPECT_EQ(end.status, 2) << job.output();
    EXPECT_THAT(job.output(), HasSubstr("weir: ocr: rank " + std::to_string(ranks - 1) + ": "));
    EXPECT_THAT(job.output(), HasSubstr("90 TiB"));
  }
}

TEST(OcrRanks, RanksRunWhereAddressesAreFew) {
  const shmem::multi::AddressLimit limit(std::uint64_t{1} << 30);
  if (!limit.is_so()) GTEST_SKIP() << "no such limit here";
  expect_all_well(2, "places", kOneWorker);
  expect_all_well(2, "places", {{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=64MiB"}});
}

// Processes that are started while it lives can start no thread: no address space has room for the stack of one.
class NoThreads {
 public:
  NoThreads() {
    EXPECT_EQ(::getrlimit(RLIMIT_STACK, &before_), 0);
    const rlimit huge{rlim_t{100} << 40, before_.rlim_max};
    is_so_ = ::setrlimit(RLIMIT_STACK, &huge) == 0;
  }
  ~NoThreads() { EXPECT_EQ(::setrlimit(RLIMIT_STACK, &before_), 0); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

  bool is_so() const { return is_so_; }

 private:
  rlimit before_{};
  bool is_so_ = false;
};

TEST(OcrRanks, AThreadThatCannotBeStartedIsNamedAndAllEnd) {
  const NoThreads none;
  if (base::kUnderSanitizer || !none.is_so())
    GTEST_SKIP() << "a sanitizer has threads of its own, or ulimit -s says no";
  for (const int ranks : {1, 2}) expect_all_end(ranks, "places", 2, "cannot start the thread \"weir ");
}

// What the ranks have said before they have ended, all with status 2, where the last runs that program.
std::string refusal_of(int ranks, const std::string& program_of_last) {
  Job job(ranks, "places", kOneWorker, {}, program_of_last);
  for (const auto& end : job.ends()) EXPECT_EQ(end.status, 2) << job.output();
  return job.output();
}

TEST(OcrRanks, RanksWithGuidsOfTwoWidthsAreNamedAndAllEnd) {
  for (const int ranks : {2, 3}) {
    const std::string said = refusal_of(ranks, WEIR_OTHER_WIDTH);
    EXPECT_THAT(said, HasSubstr("weir: ocr: rank " + std::to_string(ranks - 1) + " has GUIDs of "));
    EXPECT_THAT(said, testing::ContainsRegex("rank 0 of (64|128) bits"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

// The program with another build id, by which it is told from what the other ranks run; empty: it has none.
std::string of_another_build() {
  std::ifstream from(WEIR_SHMEM_PE, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(from), {}};
  using namespace std::string_literals;
  const std::string kind = "\3\0\0\0GNU\0"s;  // of the note, and whose it is; the id follows
  const std::size_t note = bytes.find(kind);
  if (note == std::string::npos) return "";
  bytes[note + kind.size()] ^= 1;
  const std::string path = testing::TempDir() + "ocr_rank_of_another_build." + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(OcrRanks, RanksOfTwoBuildsAreNamedAndAllEnd) {
  const std::string other = of_another_build();
  if (other.empty()) GTEST_SKIP() << "the linker gives programs no build id";
  const std::string said = refusal_of(2, other);
  EXPECT_THAT(said, HasSubstr("weir: ocr: rank 1 runs ocr_rank_of_another_build."));
  EXPECT_THAT(said, HasSubstr(", and rank 0 " + std::filesystem::path(WEIR_SHMEM_PE).filename().string() + " (build "));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  std::filesystem::remove(other);
}

TEST(OcrRanks, EdtsRunWhereTheirHintsSay) { expect_well_on_any("places"); }
TEST(OcrRanks, EdtsHaveTheGuidsThatTheirMakersWereToldBeforeTheyWereMade) { expect_well_on_any("named"); }
TEST(OcrRanks, WorkersOfRanksHaveGuidsOfTheirOwn) { expect_well_on_any("worker-guids"); }
TEST(OcrRanks, EdtsAreMadeByTemplatesOfOtherRanks) { expect_well_on_any("hops"); }
TEST(OcrRanks, TemplatesAreGoodOnAllRanksUntilOneDestroysThem) { expect_well_on_any("templates"); }
TEST(OcrRanks, WrongCallsHaveTheCodesOfOneRank) { expect_well_on_any("wrong-uses"); }
TEST(OcrRanks, EventsOfEachTypeAreUsedFromElsewhere) { expect_well_on_any("events"); }
TEST(OcrRanks, EventsOfAllRanksAreInOneDepv) { expect_well_on_any("depvs"); }
TEST(OcrRanks, ReturnedEventsAndDestroyedEdtsReachTheirRanks) { expect_well_on_any("endings"); }
TEST(OcrRanks, AFinishScopeEndsAfterAllThatItMadeOnAnyRank) {
  expect_well_on_any("finish");
  expect_all_well(4, "finish", kOneWorker);
}

TEST(OcrRanks, AnEdtSeesWhatTheOneBeforeItHasWrittenInEachMode) { expect_well_on_any("modes"); }
TEST(OcrRanks, ReturnedBlocksReachTheirReaders) { expect_well_on_any("returned"); }
TEST(OcrRanks, BlocksAreWrittenOneAtATimeByEdtsOfAllRanks) {
  expect_well_on_any("writers");
  expect_all_well(4, "writers", kOneWorker);
}
// A block of a megabyte is written by one EDT, and three read it on each rank, of which two have what the first got.
TEST(OcrRanks, WhatARankHasOfABlockIsReadUntilItIsWritten) {
  expect_well_on_any("versions");
  Job job(2, "versions", {{"WEIR_WORKERS", "2"}, {"WEIR_OCR_REPORT", "1"}});
  for (const auto& end : job.ends()) EXPECT_EQ(end.status, 0) << job.output();
  EXPECT_THAT(job.output(), testing::ContainsRegex("and [1-9][0-9]* times those that were here"));
}
TEST(OcrRanks, EdtsThatHaveWaitedForAnEventHoldTheBlockThatItBrings) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=4MiB,file=/tmp:64MiB"}};
  for (const char* const body : {"looks", "looks-at-nothing"}) {
    expect_well_on_any(body);
    expect_all_well(4, body, kOneWorker);
    expect_all_well(2, body, tight);
  }
}
TEST(OcrRanks, MemoryInsideBlocksIsManagedFromAnyRank) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=2MiB,file=/tmp:64MiB"}};
  for (const char* const body : {"heaps", "destroyed-heap"}) {
    expect_well_on_any(body);
    expect_all_well(2, body, tight);
  }
}
TEST(OcrRanks, WhatAnEdtWritesToABlockItHasWaitedForIsNotLost) { expect_well_on_any("looks-at-lent"); }
TEST(OcrRanks, BlocksAreOnTheRankOfTheirHint) { expect_well_on_any("homes"); }
TEST(OcrRanks, BlocksLargerThanMemoryAreLentAndComeBack) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=2MiB,file=/tmp:64MiB"}};
  for (const int ranks : {1, 2, 3}) expect_all_well(ranks, "many", tight);
  for (const char* body : {"versions", "homes"})
    for (const int ranks : {2, 3}) expect_all_well(ranks, body, tight);
}
// With one worker, since the event that tells of the end has to be linked before it fires.
TEST(OcrRanks, BlocksOfOtherRanksAreCopied) {
  for (const int ranks : {1, 2, 3}) expect_all_well(ranks, "copies", kOneWorker);
}
TEST(OcrRanks, ABlockThatIsGoneIsNone) {
  for (const int ranks : {1, 2}) expect_all_well(ranks, "gone", kOneWorker);
}

TEST(OcrRanks, LabelsServeAllRanks) {
  expect_well_on_any("labels");
  expect_all_well(4, "labels", kOneWorker);
  expect_well_on_any("late-labels");
  expect_well_on_any("default-map");
}
TEST(OcrRanks, ObjectsOfAllRanksAreMadeUnderALabelOneAfterTheOther) {
  expect_well_on_any("one-label");
  expect_all_well(4, "one-label", kOneWorker);
}
TEST(OcrRanks, BlocksAreUnderLabelsOfAnyRank) {
  const Job::Variables tight{{"WEIR_WORKERS", "2"}, {"WEIR_TIERS", "memory=128KiB,file=/tmp:64MiB"}};
  for (const char* const body : {"block-labels", "block-turns", "unheld-blocks"}) {
    expect_well_on_any(body);
    expect_all_well(4, body, kOneWorker);
    expect_all_well(2, body, tight);
  }
}
TEST(OcrRanks, LabelsOfAnyRankInDepvAreWaitedFor) {
  expect_well_on_any("depv-labels");
  expect_all_well(4, "depv-labels", kOneWorker);
}
TEST(OcrRanks, EdtsWaitForEventsOfOtherRanks) { expect_well_on_any("waits"); }
TEST(OcrRanks, AllRanksContributeToACollectiveEvent) {
  expect_well_on_any("sums");
  expect_all_well(4, "sums", kOneWorker);
}
TEST(OcrRanks, ObjectsOfOtherRanksHaveHints) { expect_well_on_any("hints"); }
TEST(OcrRanks, HintsOfATemplateAreOfAllEdtsMadeOfItLaterOnAnyRank) { expect_well_on_any("template-hints"); }

// More of them: WEIR_STRESS_GRAPHS=1000, from a seed that is printed.
TEST(OcrRanks, RandomGraphsHaveTheSerialAnswer) {
  const char* const wanted = std::getenv("WEIR_STRESS_GRAPHS");
  std::string seed = "1";
  if (wanted != nullptr) std::printf("from seed %s on\n", (seed = std::to_string(std::random_device{}())).c_str());
  for (const int ranks : {1, 2, 3, 4})
    for (const char* const workers : {"1", "2"})
      expect_all_well(
          ranks, "random-graphs",
          {{"WEIR_WORKERS", workers}, {"OCR_GRAPHS", wanted == nullptr ? "20" : wanted}, {"OCR_SEED", seed}});
}

// Ranks that flood one another are halted after each EDT, if there is time: what is on its way then is lost for none.
TEST(OcrRanks, RandomGraphsThatCheckpointsHaltHaveTheSerialAnswer) {
  for (const int ranks : {2, 4}) {
    const std::string folder = testing::TempDir() + "ocr_ranks_halted." + std::to_string(getpid());
    expect_all_well(ranks, "random-graphs",
                    {{"WEIR_WORKERS", "2"},
                     {"OCR_GRAPHS", "8"},
                     {"OCR_SEED", "1"},
                     {"WEIR_CHECKPOINT", folder},
                     {"WEIR_CHECKPOINT_EVERY", "0"}});
    std::filesystem::remove_all(folder);
  }
}

TEST(OcrRanks, WhoWaitsForALabelNoMoreIsForgottenByItsHome) { expect_well_on_any("abandoned-watches"); }
TEST(OcrRanks, AContributionIsOfAsManyValuesAsItsEventTakes) {
  for (const int ranks : {2, 3}) expect_all_well(ranks, "contributions-of-other-sizes", kOneWorker);
}

TEST(OcrRanks, ABlockThatCannotBeLentForWantOfMemoryEndsTheProgram) {
  constexpr int kNoMemory = 12;  // OCR_ENOMEM
  expect_all_end(2, "no-memory-to-lend", kNoMemory, "rank 0: there is no memory for what lends data block 0x");
  Job job(2, "no-memory-to-take-back", {{"WEIR_WORKERS", "1"}, {"WEIR_TIERS", "memory=2MiB,file=/tmp:64MiB"}});
  for (const auto& end : job.ends()) EXPECT_EQ(end.status, kNoMemory) << job.output();
  EXPECT_THAT(job.output(), HasSubstr("rank 0: there is no memory for what takes back data block 0x"));
}

TEST(OcrRanks, AProgramThatCanMakeNoProgressSaysOnEachRankWhatWaits) {
  for (const int ranks : {1, 2, 3}) {
    for (const char* const body : {"stuck", "stuck-inside", "stuck-for-block"}) {
      Job job(ranks, body, kOneWorker);
      for (const auto& end : job.ends()) EXPECT_EQ(end.status, 1) << job.output();
      for (int rank = 0; ranks > 1 && rank < ranks; ++rank)
        EXPECT_THAT(job.output(), HasSubstr("rank " + std::to_string(rank) + ": the program can make no progress"));
    }
  }
  expect_all_end(2, "stuck", 1, "of rank 0");
  expect_all_end(2, "stuck", 1, "nothing was ever linked to it");
  expect_all_end(2, "stuck-for-block", 1, "data block 0x");
}
TEST(OcrRanks, WhatAnEdtOfAnotherRankWaitsForIsSaidWhereThatIsKnown) {
  Job job(2, "stuck-for-label", kOneWorker);
  for (const auto& end : job.ends()) EXPECT_EQ(end.status, 1) << job.output();
  for (const char* const text : {"created in EDT mainEdt of rank 0", "slot 0: the event of label 0x",
                                 "what was never created:\n  the event of label 0x",
                                 "created in EDT mainEdt; EDTs or events of rank 1 wait for it"})
    EXPECT_THAT(job.output(), HasSubstr(text));
  // The first line of its report, and its last words.
  const std::string why = "rank 1: the program can make no progress";
  const std::size_t first = job.output().find(why);
  EXPECT_NE(job.output().find(why, first + 1), std::string::npos) << job.output();
}
TEST(OcrRanks, AProgramOfWhichOneRankWorksLongIsNotEnded) { expect_well_on_any("slow"); }

TEST(OcrRanks, EdtsWithoutHintsGoToRanksThatHaveNothingToRun) {
  for (const int ranks : {1, 2, 3, 4})
    for (const char* const body : {"spread", "tree"})
      expect_all_well(ranks, body, {{"WEIR_WORKERS", "1"}, {"WEIR_OCR_SPREAD", "1"}});
}
TEST(OcrRanks, EdtsStayWithTheirMakerUnlessTheUserSpreadsThemOrAHintPlacesOne) {
  expect_all_well(3, "stay", kOneWorker);
  expect_all_well(3, "place-one", {{"WEIR_WORKERS", "1"}, {"WEIR_OCR_SPREAD", "1"}});
}

// What the ranks of one job count together: zeros at first.
class SharedCounts {
 public:
  SharedCounts() {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT_GE(file, 0);
    EXPECT_EQ(::ftruncate(file, 4096), 0);
    ::close(file);
  }
  ~SharedCounts() { std::filesystem::remove(path_); }
  SharedCounts(const SharedCounts&) = delete;
  SharedCounts& operator=(const SharedCounts&) = delete;

  Job::Variables variables(const char* workers) const { return {{"WEIR_WORKERS", workers}, {"OCR_SHARED", path_}}; }

 private:
  const std::string path_ = testing::TempDir() + "ocr_ranks_paused." + std::to_string(getpid());
};

void expect_paused_well(const char* body, std::initializer_list<int> numbers = {1, 2, 3, 4}) {
  for (const int ranks : numbers) {
    for (const char* const workers : {"1", "2"}) {
      const SharedCounts counts;
      expect_all_well(ranks, body, counts.variables(workers));
    }
  }
}

TEST(OcrPause, NoEdtOfAnyRankRunsWhileOnePauses) { expect_paused_well("pauses"); }
TEST(OcrPause, EachOfThoseThatPauseAtOnceGetsItsTurn) { expect_paused_well("pauses-at-once"); }
TEST(OcrPause, WhoDoesNotWantToWaitForOneOfAnotherRankIsTold) { expect_paused_well("pauses-or-not"); }
// On one rank its workers would go on with the chains of EDTs, and not come to what it waits for.
TEST(OcrPause, EdtsOfAllRanksRunWhileWhoPausesWaits) { expect_paused_well("pauses-and-waits", {2, 3, 4}); }
TEST(OcrPause, EdtsOfAllRanksBeginAfterOneThatReturnsPaused) {
  for (const int ranks : {1, 2, 3}) expect_all_end(ranks, "returns-paused", 0, "has returned without ocrResume()");
}
TEST(OcrPause, WhatThereIsOnAllRanksIsFound) { expect_paused_well("paused-and-asked"); }

// One or the other has its turn: a checkpoint is put off while an EDT pauses, and one that wants to pause waits for it.
TEST(OcrPause, CheckpointsAreMadeBetweenPauses) {
  expect_paused_well("pauses-in-passing");
  for (const int ranks : {1, 2, 4}) {
    for (const char* const workers : {"1", "2"}) {
      const SharedCounts counts;
      const std::string folder = testing::TempDir() + "ocr_ranks_paused_at." + std::to_string(getpid());
      Job::Variables variables = counts.variables(workers);
      variables.push_back({"WEIR_CHECKPOINT", folder});
      variables.push_back({"WEIR_CHECKPOINT_EVERY", "0"});
      expect_all_well(ranks, "pauses-in-passing", variables);
      std::filesystem::remove_all(folder);
    }
  }
}

TEST(OcrPause, APausedProgramEndsOnAllRanks) {
  expect_paused_well("ends-paused");
  for (const int ranks : {1, 2, 3}) {
    const SharedCounts counts;
    Job job(ranks, "aborts-paused", counts.variables("1"));
    for (const auto& end : job.ends()) EXPECT_EQ(end.status, 77) << job.output();
  }
}

TEST(OcrPause, ARankThatIsKilledWhileItPausesIsNamedByTheOthersWhichEnd) {
  const SharedCounts counts;
  Job job(3, "dies-paused", counts.variables("1"));
  const auto ends = job.ends();
  for (const int rank : {0, 1}) {
    EXPECT_EQ(ends[static_cast<std::size_t>(rank)].status, 1) << job.output();
    EXPECT_THAT(job.output(), HasSubstr("rank " + std::to_string(rank) + ": rank 2 is lost, and the program ends"));
  }
}

TEST(OcrRanks, AnyRankEndsTheProgramOnAll) {
  for (const int ranks : {1, 2, 3}) {
    expect_all_well(ranks, "ends-elsewhere", kOneWorker);
    expect_all_end(ranks, "aborts-elsewhere", 77, "");
  }
}

TEST(OcrRanks, AKilledRankIsNamedByTheOthersWhichEnd) {
  Job job(3, "dies", kOneWorker);
  const auto ends = job.ends();
  EXPECT_EQ(ends[0].status, 1) << job.output();
  EXPECT_EQ(ends[2].status, 1) << job.output();
  EXPECT_THAT(job.output(), HasSubstr("rank 0: rank 1 is lost, and the program ends"));
  EXPECT_THAT(job.output(), HasSubstr("rank 2: rank 1 is lost, and the program ends"));
}

// At any time, while EDTs and blocks go from rank to rank. WEIR_TEST_KILLS says how often.
TEST(OcrRanks, ARankThatIsKilledAtAnyTimeIsNamedByTheOthersWhichEnd) {
  const char* const wanted = std::getenv("WEIR_TEST_KILLS");
  const int kills = wanted == nullptr ? 5 : std::atoi(wanted);
  std::mt19937 random(20261127);
  for (int i = 0; i < kills; ++i) {
    const int ranks = 2 + static_cast<int>(random() % 3),
              killed = static_cast<int>(random() % static_cast<unsigned>(ranks));
    Job job(ranks, "endless", kOneWorker);
    EXPECT_TRUE(job.wait_for_lines("round", 1 + static_cast<int>(random() % 40)));
    job.kill(killed);
    const auto ends = job.ends();
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == killed) continue;
      EXPECT_EQ(ends[static_cast<std::size_t>(rank)].status, 1) << "kill " << i << ": " << job.output();
      EXPECT_THAT(job.output(), HasSubstr("rank " + std::to_string(rank) + ": rank " + std::to_string(killed) +
                                          " is lost, and the program ends"))
          << "kill " << i;
    }
  }
}

}  // namespace
}  // namespace weir::ocr::multi
