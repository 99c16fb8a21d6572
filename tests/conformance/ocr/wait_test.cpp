// SPDX-License-Identifier: Apache-2.0

// EDTs that wait: whatever runs meanwhile, each goes on when what it waits for has come.
#include <algorithm>
#include <numeric>
#include <random>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Wait);

void wait_for_event(ocrGuid_t event) {
  EXPECT_EQ(ocrLegacyBlockProgress(event, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
}

std::vector<ocrGuid_t> stickies(std::size_t count) {
  std::vector<ocrGuid_t> all(count);
  for (ocrGuid_t& each : all) each = event(OCR_EVENT_STICKY_T);
  return all;
}

// As a program of that many ranks, an EDT each, made in an order of chance.
class ManyRanks {
 public:
  explicit ManyRanks(std::size_t count) : order_(count), random_(static_cast<unsigned>(count)) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::shuffle(order_.begin(), order_.end(), random_);
  }
  template <class F>
  void make(F&& body) {
    for (const std::size_t rank : order_) {
      edt(0, [=](u32, ocrEdtDep_t*) { return body(rank), NULL_GUID; });
    }
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    std::shuffle(all.begin(), all.end(), random_);
  }

 private:
  std::vector<std::size_t> order_;
  std::mt19937 random_;
};

TEST_P(Wait, TwoEdtsThatWaitForEachOtherInTurnBothEnd) {
  for (const bool answers_first : {false, true}) {
    const ocrGuid_t question = event(OCR_EVENT_STICKY_T), answer = event(OCR_EVENT_STICKY_T);
    std::atomic<int> ended{0};
    in_edt([&] {
      const Body asks = [&](u32, ocrEdtDep_t*) {
        ocrEventSatisfy(question, NULL_GUID);
        wait_for_event(answer);
        return ++ended, NULL_GUID;
      };
      const Body answers = [&](u32, ocrEdtDep_t*) {
        wait_for_event(question);
        ocrEventSatisfy(answer, NULL_GUID);
        return ++ended, NULL_GUID;
      };
      edt(0, answers_first ? answers : asks);
      edt(0, answers_first ? asks : answers);
    });
    EXPECT_EQ(ended, 2);
  }
}

TEST_P(Wait, RanksPassATokenAround) {
  for (const std::size_t count : {2u, 3u, 16u, 200u}) {
    constexpr std::size_t kRounds = 3;
    const std::vector<ocrGuid_t> turns = stickies(count * kRounds + 1);
    std::vector<std::size_t> seen;  // who has the token writes
    in_edt([&] {
      ManyRanks(count).make([&, count](std::size_t rank) {
        for (std::size_t turn = rank; turn < turns.size() - 1; turn += count) {
          wait_for_event(turns[turn]);
          seen.push_back(rank);
          ocrEventSatisfy(turns[turn + 1], NULL_GUID);
        }
      });
      ocrEventSatisfy(turns[0], NULL_GUID);
    });
    ASSERT_EQ(seen.size(), count * kRounds);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i % count);
  }
}

TEST_P(Wait, EachRankSendsToEachOther) {
  for (const std::size_t count : {2u, 7u, 40u}) {
    const std::vector<ocrGuid_t> messages = stickies(count * count);
    std::atomic<std::size_t> received{0};
    in_edt([&] {
      ManyRanks(count).make([&, count](std::size_t rank) {
        for (std::size_t to = 0; to < count; ++to) ocrEventSatisfy(messages[to * count + rank], NULL_GUID);
        std::vector<std::size_t> from(count);
        std::iota(from.begin(), from.end(), std::size_t{0});
        ManyRanks(rank + 1).shuffle(from);
        for (const std::size_t sender : from) wait_for_event(messages[rank * count + sender]), ++received;
      });
    });
    EXPECT_EQ(received, count * count);
  }
}

TEST_P(Wait, RanksMeetAtBarriers) {
  for (const std::size_t count : {2u, 5u, 200u}) {
    constexpr std::size_t kBarriers = 4;
    const std::vector<ocrGuid_t> passed = stickies(kBarriers);
    std::vector<std::atomic<std::size_t>> arrived(kBarriers);
    std::atomic<int> early{0};
    in_edt([&] {
      ManyRanks(count).make([&, count](std::size_t) {
        for (std::size_t i = 0; i < kBarriers; ++i) {
          if (arrived[i].fetch_add(1) + 1 == count) ocrEventSatisfy(passed[i], NULL_GUID);
          wait_for_event(passed[i]);
          if (arrived[i] != count) ++early;
        }
      });
    });
    EXPECT_EQ(early, 0);
  }
}

// A rank keeps its thread, and so what its language calls thread-local.
thread_local std::size_t of_this_thread = 0;

TEST_P(Wait, AnEdtGoesOnOnItsThread) {
  constexpr std::size_t kRanks = 20;
  const ocrGuid_t all_there = event(OCR_EVENT_STICKY_T);
  std::atomic<std::size_t> there{0};
  std::atomic<int> other_values{0};
  in_edt([&] {
    ManyRanks(kRanks).make([&](std::size_t rank) {
      of_this_thread = rank + 1;
      if (++there == kRanks) ocrEventSatisfy(all_there, NULL_GUID);
      wait_for_event(all_there);
      if (of_this_thread != rank + 1) ++other_values;
    });
  });
  EXPECT_EQ(other_values, 0);
}

TEST_P(Wait, AsManyEdtsRunAtATimeAsThereAreWorkers) {
  constexpr std::size_t kRanks = 30, kRounds = 20;
  const std::vector<ocrGuid_t> passed = stickies(kRounds);
  std::vector<std::atomic<std::size_t>> arrived(kRounds);
  std::atomic<int> run{0}, most{0};
  in_edt([&] {
    ManyRanks(kRanks).make([&](std::size_t) {
      for (std::size_t i = 0; i < kRounds; ++i) {
        const int now = ++run;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        const bool last = arrived[i].fetch_add(1) + 1 == kRanks;
        --run;
        if (last) ocrEventSatisfy(passed[i], NULL_GUID);
        wait_for_event(passed[i]);
      }
    });
  });
  EXPECT_LE(most, GetParam());
}

TEST_P(Wait, AThreadOutsideOfEdtsIsNotBehindEdtsThatWait) {
  const ocrGuid_t mine = event(OCR_EVENT_STICKY_T), theirs = event(OCR_EVENT_STICKY_T);
  std::atomic<bool> ended{false};
  const ocrGuid_t last = event(OCR_EVENT_STICKY_T);
  edt(0, [&](u32, ocrEdtDep_t*) {
    ocrEventSatisfy(mine, NULL_GUID);
    wait_for_event(theirs);
    ended = true;
    return ocrEventSatisfy(last, NULL_GUID), NULL_GUID;
  });
  wait_for(mine);
  EXPECT_FALSE(ended);
  ocrEventSatisfy(theirs, NULL_GUID);
  wait_for(last);
  EXPECT_TRUE(ended);
}

TEST_P(Wait, WhoLetsOthersRunGoesOnThoughTheyWaitForIt) {
  const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
  std::atomic<bool> asked{false}, answered{false};
  in_edt([&] {
    edt(0, [&](u32, ocrEdtDep_t*) {
      while (!asked) EXPECT_EQ(ocrInformLegacyCodeBlocking(), 0);
      return ocrEventSatisfy(done, NULL_GUID), NULL_GUID;
    });
    edt(0, [&](u32, ocrEdtDep_t*) {
      asked = true;
      wait_for_event(done);
      answered = true;
      return NULL_GUID;
    });
  });
  EXPECT_TRUE(answered);
}

TEST_P(Wait, WhoPollsOrPassesTheTurnToAndFroDoesNotKeepEdtsFromRunning) {
  for (const bool polls : {true, false}) {
    constexpr std::size_t kTurns = 100000;  // by then the EDT that ends it has long run, if it can
    const std::vector<ocrGuid_t> turns = stickies(polls ? 2 : kTurns + 2);
    std::atomic<bool> over{false};
    std::atomic<int> ended{0};
    in_edt([&] {
      for (const std::size_t first : {0u, 1u}) {
        edt(0, [&, first](u32, ocrEdtDep_t*) {
          for (std::size_t turn = first; !over; turn += 2) {
            if (polls) {
              EXPECT_EQ(ocrInformLegacyCodeBlocking(), 0);
              continue;
            }
            if (turn >= kTurns) return ADD_FAILURE() << "an EDT that is ready is not run", NULL_GUID;
            ocrEventSatisfy(turns[turn + 1], NULL_GUID);
            if (turn != 0) wait_for_event(turns[turn]);
          }
          for (const ocrGuid_t each : turns) static_cast<void>(ocrEventSatisfy(each, NULL_GUID));
          return ++ended, NULL_GUID;
        });
      }
      edt(0, [&](u32, ocrEdtDep_t*) { return over = true, NULL_GUID; });
    });
    EXPECT_EQ(ended, 2);
  }
}

TEST_P(Wait, ForALabelsEventInATurnWithOthers) {
  ocrGuid_t range;
  constexpr u64 kRanks = 50;
  ASSERT_EQ(ocrGuidRangeCreate(&range, kRanks, GUID_USER_EVENT_STICKY), 0);
  std::atomic<u64> ended{0};
  in_edt([&] {
    ManyRanks(kRanks).make([&](std::size_t rank) {  // each makes its event when that of the rank before is there
      ocrGuid_t before, own;
      EXPECT_EQ(ocrGuidFromIndex(&own, range, rank), 0);
      if (rank != 0) {
        EXPECT_EQ(ocrGuidFromIndex(&before, range, rank - 1), 0);
        EXPECT_EQ(ocrLegacyBlockProgress(before, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), 0);
      }
      EXPECT_EQ(ocrEventCreate(&own, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
      EXPECT_EQ(ocrEventSatisfy(own, NULL_GUID), 0);
      ++ended;
    });
  });
  EXPECT_EQ(ended, kRanks);
}

TEST_P(Wait, ForALabelToBecomeFreeInATurnWithOthers) {
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  std::atomic<int> within{0}, wrong{0}, made{0};
  in_edt([&] {
    ManyRanks(30).make([&](std::size_t) {  // as a lock
      ocrGuid_t own = label;
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&own, &data, 8, GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC), 0);
      if (++within != 1) ++wrong;
      const ocrGuid_t soon = event(OCR_EVENT_STICKY_T);
      edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(soon, NULL_GUID), NULL_GUID; });
      wait_for_event(soon);
      --within;
      ++made;
      EXPECT_EQ(ocrDbDestroy(own), 0);
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(made, 30);
}

TEST_P(Wait, WhoPausesTheProgramMayWaitForOthers) {
  in_edt([&] {
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(done, NULL_GUID), NULL_GUID; });
    ASSERT_EQ(ocrPause(true), 1u);
    wait_for_event(done);
    ocrResume(1);
  });
}

// Of one worker the EDT that wants to pause, too, has the place of the one that has paused.
TEST_P(Wait, WhoWantsToPauseDoesNotHoldUpWhatAnotherOneWaitsFor) {
  std::atomic<int> paused{0};
  in_edt([&] {
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    ASSERT_EQ(ocrPause(true), 1u);
    edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(done, NULL_GUID), NULL_GUID; });
    for (int i = 0; i < 2 * GetParam(); ++i) {
      edt(0, [&](u32, ocrEdtDep_t*) {
        const u32 flag = ocrPause(true);
        paused += static_cast<int>(flag);
        ocrResume(flag);
        return NULL_GUID;
      });
    }
    wait_for_event(done);
    EXPECT_EQ(paused, 0);
    ocrResume(1);
  });
  EXPECT_EQ(paused, 2 * GetParam());
}

TEST_P(Wait, AtTheEndOfTheProgramAllAreToldSo) {
  constexpr int kRanks = 30;
  std::atomic<int> cancelled{0}, ready{0};
  const ocrGuid_t never = event(OCR_EVENT_STICKY_T);
  for (int i = 0; i < kRanks; ++i) {
    edt(0, [&, never](u32, ocrEdtDep_t*) {
      if (++ready == kRanks) ocrShutdown();
      if (ocrLegacyBlockProgress(never, nullptr, nullptr, nullptr, LEGACY_PROP_NONE) == OCR_ECANCELED) ++cancelled;
      return NULL_GUID;
    });
  }
  EXPECT_EQ(ocrLegacyBlockProgress(never, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_ECANCELED);
  TearDown();
  EXPECT_EQ(cancelled, kRanks);
  SetUp();
}

}  // namespace
}  // namespace ocr_test
