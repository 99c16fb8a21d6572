// SPDX-License-Identifier: Apache-2.0

// A program that is asked what its EDTs wait for while it runs (docs/explaining.md).
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "explain/findings.hpp"
#include "ocr/system/system.hpp"
#include "ocr_test.hpp"
#include "weir/weir.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(OcrExplain);

TEST_P(OcrExplain, AProgramThatRunsIsLookedAtAllTheTime) {
  std::atomic<bool> stop = false;
  std::atomic<int> looks = 0, ran = 0;
  std::thread looker([&] {
    weir::runtime::Explaining& explaining = *weir::ocr::System::running()->explaining();
    while (!stop) {
      const weir::explain::Situation seen = explaining.look();
      for (const weir::explain::Wait& wait : seen.waits) ASSERT_LT(wait.who, seen.things.size());
      static_cast<void>(weir::explain::find(seen));
      ++looks;
    }
  });
  constexpr int kRounds = 40, kChain = 50;
  in_edt([&] {
    for (int round = 0; round < kRounds; ++round) {
      ocrGuid_t first = event(OCR_EVENT_ONCE_T), before = first;
      for (int i = 0; i < kChain; ++i) {
        ocrGuid_t output = NULL_GUID;
        const ocrGuid_t next = edt(1,
                                   [&](u32, ocrEdtDep_t*) {
                                     ++ran;
                                     return NULL_GUID;
                                   },
                                   {EDT_PROP_NONE, &output, nullptr, nullptr});
        EXPECT_EQ(ocrAddDependence(before, next, 0, DB_MODE_NULL), 0);
        before = output;
      }
      EXPECT_EQ(ocrEventSatisfy(first, NULL_GUID), 0);
    }
  });
  while (looks == 0) std::this_thread::yield();
  stop = true;
  looker.join();
  EXPECT_EQ(ran, kRounds * kChain);
}

// An EDT whose function has returned waits for what it has begun, by way of a task of the C++ API.
TEST_P(OcrExplain, SaysWhatAnEdtThatEndsLaterWaitsFor) {
  const ocrGuid_t ended = event(OCR_EVENT_STICKY_T), begun = event(OCR_EVENT_STICKY_T);
  ocrGuid_t output = ended;
  weir::Completion open;
  const ocrGuid_t late = edt(1,
                             [&](u32, ocrEdtDep_t*) {
                               weir::spawn(weir::name("begins"), [&] {
                                 open = weir::end_later();
                                 EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
                               });
                               return NULL_GUID;
                             },
                             {EDT_PROP_OEVT_VALID, &output, nullptr, nullptr});
  const auto id = static_cast<std::uint64_t>(GUIDA(late));
  EXPECT_EQ(ocrAddDependence(NULL_GUID, late, 0, DB_MODE_NULL), 0);
  wait_for(begun);
  using weir::explain::Cause;
  std::string found;
  for (int look = 0; look < 10000 && found.empty(); ++look, std::this_thread::yield()) {
    const weir::explain::Situation seen = weir::ocr::System::running()->explaining()->look();
    const auto on_of = [&](auto&& who) {
      for (const weir::explain::Wait& wait : seen.waits)
        if (wait.cause == Cause::children && who(seen.things[wait.who])) return wait.on;
      return weir::explain::kNobody;
    };
    const auto task = on_of([&](const weir::explain::Thing& thing) { return thing.id == id; });
    if (task == weir::explain::kNobody || seen.things[task].name != "begins") continue;
    const auto node = on_of([&](const weir::explain::Thing& thing) { return &thing == &seen.things[task]; });
    if (node == weir::explain::kNobody) continue;  // its function has not returned
    for (const weir::explain::Wait& wait : seen.waits)
      if (wait.who == node) found = wait.what;
  }
  EXPECT_EQ(found, "the program to call complete()");
  open.complete();
  wait_for(ended);
}

// For whom the EDT waits before it gets a block: GUIDs of those that are named, and how many are not.
struct Holders {
  std::vector<std::uint64_t> named;
  std::string others;
};
Holders holders_before(ocrGuid_t edt) {
  const weir::explain::Situation seen = weir::ocr::System::running()->explaining()->look();
  Holders found;
  for (const weir::explain::Wait& wait : seen.waits) {
    if (wait.cause != weir::explain::Cause::block || seen.things[wait.who].id != static_cast<std::uint64_t>(GUIDA(edt)))
      continue;
    if (wait.on == weir::explain::kNobody)
      found.others += wait.what;
    else
      found.named.push_back(seen.things[wait.on].id);
  }
  return found;
}

ocrGuid_t nothing(u32, ocrEdtDep_t*) { return NULL_GUID; }

TEST_P(OcrExplain, NamesWhoHoldsABlock) {
  in_edt([&] {
    ocrGuid_t self = NULL_GUID, data = NULL_GUID;
    void* address = nullptr;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    EXPECT_EQ(ocrDbCreate(&data, &address, sizeof(u64), DB_PROP_NONE, nullptr, NO_ALLOC), 0);
    const ocrGuid_t waiting = edt(1, nothing);
    EXPECT_EQ(ocrAddDependence(data, waiting, 0, DB_MODE_EW), 0);
    const Holders holders = holders_before(waiting);
    EXPECT_EQ(holders.named, std::vector<std::uint64_t>{static_cast<std::uint64_t>(GUIDA(self))});
    EXPECT_EQ(holders.others, "");
  });
}

// Readers of the first block wait for the second, which the running EDT has made and holds.
TEST_P(OcrExplain, NamesSomeOfManyWhoHoldABlock) {
  constexpr int kReaders = 20;
  in_edt([&] {
    ocrGuid_t blocks[2] = {NULL_GUID, NULL_GUID};
    void* address = nullptr;
    for (ocrGuid_t& made : blocks)
      EXPECT_EQ(ocrDbCreate(&made, &address, sizeof(u64), DB_PROP_NONE, nullptr, NO_ALLOC), 0);
    if (GUIDA(blocks[1]) < GUIDA(blocks[0])) std::swap(blocks[0], blocks[1]);
    EXPECT_EQ(ocrDbRelease(blocks[0]), 0);
    std::vector<std::uint64_t> readers;
    for (int i = 0; i < kReaders; ++i) {
      const ocrGuid_t reader = edt(2, nothing);
      EXPECT_EQ(ocrAddDependence(blocks[0], reader, 0, DB_MODE_RW), 0);
      EXPECT_EQ(ocrAddDependence(blocks[1], reader, 1, DB_MODE_EW), 0);
      readers.push_back(static_cast<std::uint64_t>(GUIDA(reader)));
    }
    const ocrGuid_t waiting = edt(1, nothing);
    EXPECT_EQ(ocrAddDependence(blocks[0], waiting, 0, DB_MODE_EW), 0);
    const Holders holders = holders_before(waiting);
    EXPECT_EQ(holders.named.size(), 8u);
    for (const std::uint64_t named : holders.named)
      EXPECT_NE(std::find(readers.begin(), readers.end(), named), readers.end());
    EXPECT_NE(holders.others.find("12 more EDTs hold"), std::string::npos) << holders.others;
  });
}

}  // namespace
}  // namespace ocr_test
