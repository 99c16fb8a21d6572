// SPDX-License-Identifier: Apache-2.0

// The tests over ranks: mainEdt() on rank 0 starts a thread that runs them all while OCR runs, and what event() and
// block() make is on the other ranks, one after the other. EDTs, which have pointers in their parameters, are on rank
// 0. WEIR_WORKERS says how many workers each rank has.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>

#include "ocr_test.hpp"

namespace ocr_test {

namespace {

struct Made {
  ocrGuid_t guid = NULL_GUID;
  u8 code = 0;
};

// What is made on another rank, and whom to tell.
struct Order {
  ocrGuid_t done = NULL_GUID;  // an event of rank 0
  Made* made = nullptr;        // in its memory
  bool is_block = false, has_params = false;
  ocrEventTypes_t type = OCR_EVENT_ONCE_T;
  ocrEventParams_t params{};
  u64 value = 0;
};
struct Delivery {
  Order order;
  Made made;
};

template <class T>
constexpr u32 words_of() {
  return static_cast<u32>((sizeof(T) + sizeof(u64) - 1) / sizeof(u64));
}

std::atomic<u64> ranks{1};

// One worker is as good as another here. Not what is possible on one rank only (docs/ocr.md): looking into a block of
// another rank that a wait brings outside of EDTs; not what sees that EDTs hold blocks of another rank in turn, or that
// it is not known here how large one is, or that one of a third rank is gone; nor what makes so many objects that
// messages take minutes, starts OCR, or ends it, or counts the threads that run EDTs: while the thread of the tests
// waits, another takes its place besides the workers.
constexpr const char* kFilter =
    "*/1-*Runtimes*:*/Said.*"
    ":*/Collective.SeveralValuesAreReducedOneByOne/*:*/Collective.ReduceGivesTheResultToContributorZero/*"
    ":*/Collective.BroadcastGivesTheValuesOfContributorZeroToAll/*:*/Collective.GenerationsFollowOneAnother/*"
    ":*/Collective.SeveralGenerationsAreInFlight/*:*/Collective.OneContributorGetsItsOwnValues/*"
    ":*/Collective.NeitherTheOrderOfContributorsNorThatOfTheCallsMatters/*"
    ":*/Collective.ASecondContributionToAGenerationIsRefusedAndChangesNothing/*"
    ":*/Collective.ABroadcastNeedsNoValuesOfTheOthers/*:*/Collective.AResultThatWasDestroyedIsNotUsedAgain/*"
    ":*/Collective.AsManyGenerationsInFlightAsANumberHolds/*:*/Collective.WhoHasNotContributedIsNamed/*"
    ":*/DataBlock.ACopyMayStayInOneBlock/*:*/Legacy.SpawnGivesAStickyEventWithTheResult/*"
    ":*/Legacy.AnEdtThatWaitsRunsOthersAndHoldsWhatItGot/*"
    ":*/DataBlock.SharedModesAdmitTheirLikeAndReadersThatDoNotCare/*:*/DataBlock.ConflictingModesWait/*"
    ":*/DataBlock.WhoWaitsIsServedWritersFirstThenOneAloneThenReaders/*:*/DataBlock.CopyChecksItsArguments/*"
    ":*/Event.WhatIsNoBlockCannotBePassed/*:*/Event.ALongChainOfEventsFiresWithoutRecursion/*"
    ":*/Dependence.ABlockThatIsGoneIsRefusedBeforeTheEventIsLookedAt/*"
    ":*/Wait.WhoPollsOrPassesTheTurnToAndFroDoesNotKeepEdtsFromRunning/*:*/Legacy.FinalizeNeedsItsContext/*"
    ":*/Legacy.WhoWaitsWhenTheProgramEndsIsToldSo/*:*/Legacy.WhatAProgramLeavesBehindIsGivenBack/*"
    ":*/Legacy.ParseArgsTakesOutWhatIsForOcr/*:*/Wait.AtTheEndOfTheProgramAllAreToldSo/*"
    ":*/Wait.AsManyEdtsRunAtATimeAsThereAreWorkers/*";

// All ranks of a job here have as many domains.
ocrHint_t on_rank(u64 rank) {
  u64 count = 0;
  ocrGuid_t affinity = NULL_GUID;
  EXPECT_EQ(ocrAffinityCount(AFFINITY_PD, &count), 0);
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, rank * (count / ranks), &affinity), 0);
  ocrHint_t hint;
  EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
  EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)), 0);
  return hint;
}

template <class T>
u8 make_on_rank(u64 rank, ocrEdt_t function, const T& parameters) {
  u64 words[words_of<T>()] = {};
  std::memcpy(words, &parameters, sizeof parameters);
  ocrGuid_t edt_template, made;
  ocrHint_t hint = on_rank(rank);
  if (const u8 code = ocrEdtTemplateCreate(&edt_template, function, words_of<T>(), 0)) return code;
  const u8 code = ocrEdtCreate(&made, edt_template, words_of<T>(), words, 0, nullptr, EDT_PROP_NONE, &hint, nullptr);
  ocrEdtTemplateDestroy(edt_template);
  return code;
}

// On rank 0.
ocrGuid_t deliver(u32, u64* paramv, u32, ocrEdtDep_t*) {
  Delivery delivery;
  std::memcpy(static_cast<void*>(&delivery), paramv, sizeof delivery);
  *delivery.order.made = delivery.made;
  EXPECT_EQ(ocrEventSatisfy(delivery.order.done, NULL_GUID), 0);
  return NULL_GUID;
}

Made make(Order& order) {
  Made made;
  if (!order.is_block) {
    made.code =
        ocrEventCreateParams(&made.guid, order.type, EVT_PROP_TAKES_ARG, order.has_params ? &order.params : nullptr);
    return made;
  }
  void* data = nullptr;
  made.code = ocrDbCreate(&made.guid, &data, sizeof order.value, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  if (made.code != 0) return made;
  std::memcpy(data, &order.value, sizeof order.value);
  made.code = ocrDbRelease(made.guid);
  return made;
}

// On another rank.
ocrGuid_t fulfil(u32, u64* paramv, u32, ocrEdtDep_t*) {
  Delivery delivery;
  std::memcpy(static_cast<void*>(&delivery.order), paramv, sizeof delivery.order);
  delivery.made = make(delivery.order);
  if (make_on_rank(0, &deliver, delivery) != 0) ocrAbort(1);
  return NULL_GUID;
}

ocrGuid_t make_elsewhere(Order order) {
  static std::atomic<u64> next{0};
  Made made;
  order.made = &made;
  EXPECT_EQ(ocrEventCreate(&order.done, OCR_EVENT_STICKY_T, EVT_PROP_NONE), 0);
  EXPECT_EQ(make_on_rank(1 + next++ % (ranks - 1), &fulfil, order), 0);
  EXPECT_EQ(ocrLegacyBlockProgress(order.done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  EXPECT_EQ(ocrEventDestroy(order.done), 0);
  EXPECT_EQ(made.code, 0);
  return made.guid;
}

// `known`: once OCR knows of this thread. Until then it would take a program whose mainEdt() has ended for one in which
// nothing can happen.
void run_tests(std::vector<std::string> words, std::promise<void> known) {
  u64 domains = 0;
  EXPECT_EQ(ocrAffinityCount(AFFINITY_PD, &domains), 0);
  known.set_value();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  GTEST_FLAG_SET(filter, kFilter);
  testing::InitGoogleTest(&argc, argv.data());
  const int failed = RUN_ALL_TESTS();
  std::fflush(stdout);
  if (failed == 0)
    ocrShutdown();
  else
    ocrAbort(1);
}

}  // namespace

ocrGuid_t block(u64 value) {
  Order order;
  order.is_block = true;
  order.value = value;
  return make_elsewhere(order);
}

ocrGuid_t event(ocrEventTypes_t type, ocrEventParams_t* params) {
  Order order;
  order.type = type;
  order.has_params = params != nullptr;
  if (params != nullptr) order.params = *params;
  return make_elsewhere(order);
}

bool are_elsewhere() { return true; }

void OcrTest::SetUp() {}
void OcrTest::TearDown() {}

}  // namespace ocr_test

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  const char* const count = std::getenv("WEIR_RANKS");
  ocr_test::ranks = count == nullptr ? 1 : static_cast<u64>(std::atoi(count));
  std::vector<std::string> words;
  for (u64 i = 0; i < ocrGetArgc(depv[0].ptr); ++i) words.emplace_back(ocrGetArgv(depv[0].ptr, i));
  if (ocr_test::ranks < 2) {
    std::fputs("start it as a job of two ranks or more: weir run -n 2\n", stderr);
    ocrAbort(2);
    return NULL_GUID;
  }
  std::promise<void> known;
  const std::future<void> is_known = known.get_future();
  std::thread(&ocr_test::run_tests, std::move(words), std::move(known)).detach();
  is_known.wait();
  return NULL_GUID;
}
