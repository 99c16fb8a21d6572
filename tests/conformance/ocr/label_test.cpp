// SPDX-License-Identifier: Apache-2.0

// Labelled GUIDs: ranges, maps, and creating under a label.
#include <algorithm>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Label);

ocrGuid_t label(ocrGuidUserKind kind, u64 count = 1, u64 index = 0) {
  ocrGuid_t range, guid;
  EXPECT_EQ(ocrGuidRangeCreate(&range, count, kind), 0);
  EXPECT_EQ(ocrGuidFromIndex(&guid, range, index), 0);
  return guid;
}

TEST_P(Label, RangesCheckTheirArguments) {
  ocrGuid_t range, guid;
  EXPECT_EQ(ocrGuidRangeCreate(nullptr, 1, GUID_USER_DB), OCR_EINVAL);
  EXPECT_EQ(ocrGuidRangeCreate(&range, 0, GUID_USER_DB), OCR_EINVAL);
  EXPECT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_NONE), OCR_EINVAL);
  ASSERT_EQ(ocrGuidRangeCreate(&range, 4, GUID_USER_DB), 0);
  EXPECT_EQ(ocrGuidFromIndex(&guid, range, 4), OCR_EINVAL);
  EXPECT_EQ(ocrGuidFromIndex(nullptr, range, 0), OCR_EINVAL);
  EXPECT_EQ(ocrGuidFromIndex(&guid, foreign(), 0), OCR_EINVAL);
}

TEST_P(Label, IndicesGiveDifferentGuidsAndAlwaysTheSame) {
  ocrGuid_t range, a, b, again;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1000000, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromIndex(&a, range, 0), 0);
  ASSERT_EQ(ocrGuidFromIndex(&b, range, 999999), 0);
  ASSERT_EQ(ocrGuidFromIndex(&again, range, 999999), 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(b, again);
}

TEST_P(Label, ALabelWithoutAnObjectIsNoObject) {
  const ocrGuid_t guid = label(GUID_USER_EVENT_STICKY);
  EXPECT_EQ(ocrEventSatisfy(guid, NULL_GUID), OCR_EINVAL);
  ocrGuidUserKind kind;
  EXPECT_EQ(ocrGetGuidKind(&kind, guid), 0);
  EXPECT_EQ(kind, GUID_USER_NONE);
}

TEST_P(Label, AnEventIsCreatedUnderItsLabel) {
  ocrGuid_t guid = label(GUID_USER_EVENT_STICKY);
  const ocrGuid_t wanted = guid;
  ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED), 0);
  EXPECT_EQ(guid, wanted);
  EXPECT_EQ(ocrEventSatisfy(wanted, NULL_GUID), 0);
  ocrGuidUserKind kind;
  EXPECT_EQ(ocrGetGuidKind(&kind, guid), 0);
  EXPECT_EQ(kind, GUID_USER_EVENT_STICKY);
  EXPECT_EQ(ocrGetGuidKind(nullptr, guid), OCR_EINVAL);
}

TEST_P(Label, CheckLetsOneOfManyCreators) {
  const ocrGuid_t guid = label(GUID_USER_EVENT_STICKY);
  std::atomic<int> created{0}, existed{0};
  in_edt([&] {
    for (int i = 0; i < 50; ++i) {
      edt(0, [&](u32, ocrEdtDep_t*) {
        ocrGuid_t mine = guid;
        const u8 code = ocrEventCreate(&mine, OCR_EVENT_STICKY_T, GUID_PROP_CHECK);
        EXPECT_EQ(mine, guid);
        (code == 0 ? created : existed) += code == 0 || code == OCR_EGUIDEXISTS ? 1 : 1000;
        return NULL_GUID;
      });
    }
  });
  EXPECT_EQ(created, 1);
  EXPECT_EQ(existed, 49);
}

// The first is destroyed as soon as it is there, while its maker may still see to what waits for it. Who waits for the
// next one wants it constant: not while its maker still writes, as read-only would allow.
TEST_P(Label, WhatWaitsForTheNextDataBlockOfALabelGetsThat) {
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<u64> got{0};
    in_edt([&] {
      const ocrGuid_t guid = label(GUID_USER_DB);
      EXPECT_EQ(ocrAddDependence(guid, edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; }), 0, DB_MODE_RO), 0);
      edt(0, [=, &got](u32, ocrEdtDep_t*) {
        const ocrGuid_t waits = edt(1, [&got](u32, ocrEdtDep_t* d) {
          got = d[0].ptr == nullptr ? 1 : *static_cast<const u64*>(d[0].ptr);
          return NULL_GUID;
        });
        for (int i = 1; ocrDbDestroy(guid) != 0; ++i)
          if (i % 1000 == 0) ocrInformLegacyCodeBlocking();
        EXPECT_EQ(ocrAddDependence(guid, waits, 0, DB_MODE_CONST), 0);
        ocrGuid_t made = guid;
        void* data = nullptr;
        EXPECT_EQ(ocrDbCreate(&made, &data, sizeof(u64), GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC), 0);
        *static_cast<u64*>(data) = 2;
        return NULL_GUID;
      });
      edt(0, [=](u32, ocrEdtDep_t*) {
        ocrGuid_t made = guid;
        void* data = nullptr;
        EXPECT_EQ(ocrDbCreate(&made, &data, sizeof(u64), DB_PROP_NO_ACQUIRE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
        return NULL_GUID;
      });
    });
    EXPECT_EQ(got, 2u) << "round " << round;
  }
}

// One EDT makes the object of a label and destroys it, again and again, while another makes EDTs that depend on it.
// Whoever of the two ends last makes it for good.
struct ComesAndGoes {
  static constexpr int kRounds = 2000;
  std::function<void()> make, destroy;
  std::function<void(Body)> depend;
  std::atomic<int> ended{0}, ran{0};

  void begin() {
    edt(0, [this](u32, ocrEdtDep_t*) {
      for (int i = 0; i < kRounds; ++i) make(), destroy();
      return end();
    });
    edt(0, [this](u32, ocrEdtDep_t*) {
      for (int i = 0; i < kRounds; ++i) depend([this](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; });
      return end();
    });
  }
  ocrGuid_t end() {
    if (++ended == 2) make();
    return NULL_GUID;
  }
};

TEST_P(Label, ADependenceFromALabelIsPossibleWhileItsBlockComesAndGoes) {
  ComesAndGoes of;
  in_edt([&] {
    const ocrGuid_t guid = label(GUID_USER_DB);
    of.make = [guid] {
      ocrGuid_t made = guid;
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&made, &data, 8, DB_PROP_NO_ACQUIRE | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
    };
    of.destroy = [guid] { EXPECT_EQ(ocrDbDestroy(guid), 0); };
    of.depend = [guid](Body body) { EXPECT_EQ(ocrAddDependence(guid, edt(1, std::move(body)), 0, DB_MODE_NULL), 0); };
    of.begin();
  });
  EXPECT_EQ(of.ran, ComesAndGoes::kRounds);
}

TEST_P(Label, DepvMayNameALabelWhileItsEventComesAndGoes) {
  ComesAndGoes of;
  in_edt([&] {
    const std::vector<ocrGuid_t> depv{label(GUID_USER_EVENT_STICKY)};
    of.make = [guid = depv.front()] {
      ocrGuid_t made = guid;
      EXPECT_EQ(ocrEventCreate(&made, OCR_EVENT_STICKY_T, EVT_PROP_NONE | GUID_PROP_CHECK), 0);
      EXPECT_EQ(ocrEventSatisfy(guid, NULL_GUID), 0);
    };
    of.destroy = [guid = depv.front()] { EXPECT_EQ(ocrEventDestroy(guid), 0); };
    of.depend = [depv](Body body) { edt(1, std::move(body), {EDT_PROP_NONE, nullptr, nullptr, &depv}); };
    of.begin();
  });
  EXPECT_EQ(of.ran, ComesAndGoes::kRounds);
}

// Another thread satisfies it as soon as it is there, which ends it.
TEST_P(Label, AllThatWaitForALabelGetWhatItsOnceEventBrings) {
  constexpr int kRounds = 5, kWaiting = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> ran{0}, without{0};
    in_edt([&] {
      const ocrGuid_t guid = label(GUID_USER_EVENT_ONCE), data = block(3);
      for (int i = 0; i < kWaiting; ++i) {
        const ocrGuid_t waits = edt(1, [&](u32, ocrEdtDep_t* d) {
          ++ran;
          if (d[0].ptr == nullptr) ++without;
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(guid, waits, 0, DB_MODE_RO), 0);
      }
      edt(0, [=](u32, ocrEdtDep_t*) {
        for (int i = 1; ocrEventSatisfy(guid, data) != 0; ++i)
          if (i % 1000 == 0) ocrInformLegacyCodeBlocking();
        return NULL_GUID;
      });
      edt(0, [=](u32, ocrEdtDep_t*) {
        ocrGuid_t made = guid;
        EXPECT_EQ(ocrEventCreate(&made, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK), 0);
        return NULL_GUID;
      });
    });
    EXPECT_EQ(ran, kWaiting);
    EXPECT_EQ(without, 0);
  }
}

TEST_P(Label, AfterDestructionTheLabelIsFree) {
  ocrGuid_t guid = label(GUID_USER_EVENT_ONCE);
  ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EGUIDEXISTS);
  ASSERT_EQ(ocrEventDestroy(guid), 0);
  ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, GUID_PROP_CHECK), 0);
  ASSERT_EQ(ocrEventSatisfy(guid, NULL_GUID), 0);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, GUID_PROP_CHECK), 0);
}

TEST_P(Label, BlockWaitsUntilTheOldObjectIsGone) {
  ocrGuid_t guid = label(GUID_USER_EVENT_STICKY);
  in_edt([&] {
    ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
    edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventDestroy(guid), NULL_GUID; });
    EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK), 0);
  });
}

TEST_P(Label, BlockWaitsForAnEdtToEndToo) {
  std::atomic<int> ran{0};
  in_edt([&] {
    ocrGuid_t of, guid = label(GUID_USER_EDT);
    const ocrEdt_t count = [](u32, u64* p, u32, ocrEdtDep_t*) {
      ++*reinterpret_cast<std::atomic<int>*>(p[0]);
      return NULL_GUID;
    };
    ASSERT_EQ(ocrEdtTemplateCreate(&of, count, 1, 1), 0);
    u64 param = reinterpret_cast<u64>(&ran);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(ocrEdtCreate(&guid, of, 1, &param, 1, nullptr, GUID_PROP_BLOCK, NULL_HINT, nullptr), 0);
      EXPECT_EQ(ocrEdtCreate(&guid, of, 1, &param, 1, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), OCR_EGUIDEXISTS);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, guid, 0, DB_MODE_NULL), 0);
    }
  });
  EXPECT_EQ(ran, 20);
}

TEST_P(Label, ALabelOfAnotherKindMakesNothing) {
  const ocrGuid_t for_event = label(GUID_USER_EVENT_STICKY), for_block = label(GUID_USER_DB),
                  for_edt = label(GUID_USER_EDT);
  ocrGuid_t of;
  void* data = nullptr;
  const ocrEdt_t unwanted = [](u32, u64*, u32, ocrEdtDep_t*) { return ADD_FAILURE(), NULL_GUID; };
  ASSERT_EQ(ocrEdtTemplateCreate(&of, unwanted, 0, 0), 0);
  for (const ocrGuid_t wrong : {for_event, for_block, for_edt, foreign(), NULL_GUID}) {
    for (const u16 property : {GUID_PROP_IS_LABELED, GUID_PROP_CHECK, GUID_PROP_BLOCK}) {
      ocrGuid_t guid = wrong;
      if (wrong != for_event) {
        EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, property), OCR_EINVAL);
      }
      if (wrong != for_block) {
        EXPECT_EQ(ocrDbCreate(&guid, &data, 8, property, NULL_HINT, NO_ALLOC), OCR_EINVAL);
      }
      if (wrong != for_edt) {
        EXPECT_EQ(ocrEdtCreate(&guid, of, 0, nullptr, 0, nullptr, property, NULL_HINT, nullptr), OCR_EINVAL);
      }
      EXPECT_EQ(guid, wrong) << "the label is the caller's";
    }
  }
  EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
}

TEST_P(Label, BlocksAndEdtsHaveLabelsToo) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    ocrGuid_t data = label(GUID_USER_DB, 3, 1);
    void *pointer, *other;
    ASSERT_EQ(ocrDbCreate(&data, &pointer, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
    EXPECT_EQ(ocrDbCreate(&data, &other, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), OCR_EGUIDEXISTS);
    *static_cast<u64*>(pointer) = 0;
    ocrDbRelease(data);
    ocrGuid_t task = label(GUID_USER_EDT), of, ignored = foreign();
    const ocrEdt_t count = [](u32, u64* p, u32, ocrEdtDep_t*) {
      ++*reinterpret_cast<std::atomic<int>*>(p[0]);
      return NULL_GUID;
    };
    ASSERT_EQ(ocrEdtTemplateCreate(&of, count, 1, 1), 0);
    u64 param = reinterpret_cast<u64>(&seen);
    const ocrGuid_t wanted = task;
    ASSERT_EQ(ocrEdtCreate(&task, of, 1, &param, 1, &ignored, GUID_PROP_CHECK, NULL_HINT, nullptr), 0)
        << "depv of a labelled EDT is ignored";
    EXPECT_EQ(task, wanted);
    EXPECT_EQ(ocrEdtCreate(&task, of, 1, &param, 1, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), OCR_EGUIDEXISTS);
    EXPECT_EQ(ocrAddDependence(data, wanted, 0, DB_MODE_RO), 0);
  });
  EXPECT_EQ(seen, 1u);
}

// Its holder still has it, and what is made under the label later must not get in between.
TEST_P(Label, ADestroyedBlockKeepsItsLabelAsLongAsItIsHeld) {
  const ocrGuid_t wanted = label(GUID_USER_DB), released = event(OCR_EVENT_STICKY_T);
  const auto create = [wanted](u16 properties) {
    ocrGuid_t guid = wanted;
    void* data = nullptr;
    const u8 code = ocrDbCreate(&guid, &data, 8, properties, NULL_HINT, NO_ALLOC);
    EXPECT_EQ(guid, wanted);
    if (code == 0) *static_cast<u64*>(data) = 5;
    return code;
  };
  in_edt([&] {
    ASSERT_EQ(create(GUID_PROP_CHECK), 0);
    EXPECT_EQ(ocrDbRelease(wanted), 0);
    const ocrGuid_t holder = edt(1, [=](u32, ocrEdtDep_t* d) {
      const ocrGuid_t destroyed = event(OCR_EVENT_STICKY_T);
      edt(0, [=](u32, ocrEdtDep_t*) {
        EXPECT_EQ(ocrDbDestroy(wanted), 0);
        EXPECT_EQ(create(GUID_PROP_CHECK), OCR_EGUIDEXISTS);
        EXPECT_EQ(create(GUID_PROP_IS_LABELED), OCR_EGUIDEXISTS);
        return ocrEventSatisfy(destroyed, NULL_GUID), NULL_GUID;
      });
      EXPECT_EQ(ocrLegacyBlockProgress(destroyed, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(*static_cast<u64*>(d[0].ptr), 5u);
      *static_cast<u64*>(d[0].ptr) = 6;
      EXPECT_EQ(ocrDbRelease(wanted), 0);
      return ocrEventSatisfy(released, NULL_GUID), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(wanted, holder, 0, DB_MODE_RW), 0);
    EXPECT_EQ(ocrLegacyBlockProgress(released, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
    EXPECT_EQ(create(GUID_PROP_BLOCK), 0);
    EXPECT_EQ(ocrDbDestroy(wanted), 0);
  });
}

// ---- Dependences from labels before their object is made ----

// Makes the block of the label, with that value.
void make_block(ocrGuid_t label, u64 value) {
  ocrGuid_t guid = label;
  void* data = nullptr;
  ASSERT_EQ(ocrDbCreate(&guid, &data, sizeof value, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
  *static_cast<u64*>(data) = value;
  ASSERT_EQ(ocrDbRelease(guid), 0);
}

TEST_P(Label, ADependenceFromItsBlockWaitsUntilThatIsMade) {
  const ocrGuid_t wanted = label(GUID_USER_DB, 4, 1), done = event(OCR_EVENT_STICKY_T);
  std::atomic<u64> sum{0};
  std::atomic<int> ran{0};
  constexpr int kConsumers = 5;
  for (int i = 0; i < kConsumers; ++i) {
    const ocrGuid_t consumer = edt(1, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[0].guid, wanted);
      sum += *static_cast<u64*>(d[0].ptr);
      return ++ran == kConsumers ? ocrEventSatisfy(done, NULL_GUID) : 0, NULL_GUID;
    });
    // Constant: not while its maker still writes, as read-only would allow.
    ASSERT_EQ(ocrAddDependence(wanted, consumer, 0, DB_MODE_CONST), 0);
    EXPECT_EQ(ocrAddDependence(wanted, consumer, 0, DB_MODE_CONST), OCR_EPERM) << "the slot has its source";
  }
  in_edt([&] { make_block(wanted, 9); });
  wait_for(done);
  EXPECT_EQ(sum, 9u * kConsumers);
}

TEST_P(Label, ADependenceFromItsEventWaitsUntilThatIsMadeAndSatisfied) {
  const ocrGuid_t wanted = label(GUID_USER_EVENT_ONCE), done = event(OCR_EVENT_STICKY_T), data = block(31);
  const ocrGuid_t consumer = edt(1, [&](u32, ocrEdtDep_t* d) {
    EXPECT_EQ(d[0].guid, data);
    return ocrEventSatisfy(done, NULL_GUID), NULL_GUID;
  });
  ASSERT_EQ(ocrAddDependence(wanted, consumer, 0, DB_MODE_RO), 0);
  edt(0, [&](u32, ocrEdtDep_t*) {
    ocrGuid_t guid = wanted;
    EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK), 0);
    return ocrEventSatisfy(guid, data), NULL_GUID;
  });
  wait_for(done);
}

// The event is satisfied with the block.
void make_both(ocrGuid_t of_block, ocrGuid_t of_event) {
  make_block(of_block, 3);
  ASSERT_EQ(ocrEventCreate(&of_event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK), 0);
  EXPECT_EQ(ocrEventSatisfy(of_event, of_block), 0);
}

TEST_P(Label, AnEventDependsOnWhatIsMadeLater) {
  const ocrGuid_t of_block = label(GUID_USER_DB), of_event = label(GUID_USER_EVENT_STICKY);
  const ocrGuid_t first = event(OCR_EVENT_STICKY_T), second = event(OCR_EVENT_STICKY_T);
  ASSERT_EQ(ocrAddDependence(of_block, first, 0, DB_MODE_RO), 0);
  ASSERT_EQ(ocrAddDependence(of_event, second, 0, DB_MODE_RO), 0);
  in_edt([&] { make_both(of_block, of_event); });
  EXPECT_EQ(wait_for(first), of_block);
  EXPECT_EQ(wait_for(second), of_block);
}

TEST_P(Label, AnEdtMayReturnWhatIsMadeLater) {
  const ocrGuid_t of_block = label(GUID_USER_DB), of_event = label(GUID_USER_EVENT_STICKY);
  ocrGuid_t first = event(OCR_EVENT_STICKY_T), second = event(OCR_EVENT_STICKY_T);
  in_edt([&] {
    edt(0, [=](u32, ocrEdtDep_t*) { return of_block; }, {EDT_PROP_OEVT_VALID, &first, nullptr, nullptr});
    edt(0, [=](u32, ocrEdtDep_t*) { return of_event; }, {EDT_PROP_OEVT_VALID, &second, nullptr, nullptr});
  });
  in_edt([&] { make_both(of_block, of_event); });
  EXPECT_EQ(wait_for(first), of_block);
  EXPECT_EQ(wait_for(second), of_block);
}

TEST_P(Label, DepvMayNameWhatIsMadeLater) {
  const ocrGuid_t of_block = label(GUID_USER_DB), of_event = label(GUID_USER_EVENT_STICKY);
  const ocrGuid_t done = event(OCR_EVENT_STICKY_T), there = block(1);
  const std::vector<ocrGuid_t> depv{of_block, there, of_event, NULL_GUID};
  edt(4,
      [&](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(*static_cast<u64*>(d[0].ptr), 8u);
        EXPECT_EQ(d[1].guid, there);
        EXPECT_EQ(d[2].guid, there);
        return ocrEventSatisfy(done, NULL_GUID), NULL_GUID;
      },
      {EDT_PROP_NONE, nullptr, nullptr, &depv});
  in_edt([&] {
    make_block(of_block, 8);
    ocrGuid_t guid = of_event;
    ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK), 0);
    EXPECT_EQ(ocrEventSatisfy(guid, there), 0);
  });
  wait_for(done);
}

TEST_P(Label, WhatCannotBeMadeIsNotWaitedFor) {
  ocrGuid_t range, gone;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
  ASSERT_EQ(ocrGuidFromIndex(&gone, range, 0), 0);
  ASSERT_EQ(ocrGuidMapDestroy(range), 0);
  const ocrGuid_t consumer = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  EXPECT_EQ(ocrAddDependence(gone, consumer, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(label(GUID_USER_EDT), consumer, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(NULL_GUID, consumer, 0, DB_MODE_RO), 0) << "the slot is open still";
}

TEST_P(Label, EveryObjectHasItsKind) {
  const auto kind_of = [](ocrGuid_t guid) {
    ocrGuidUserKind kind = GUID_USER_NONE;
    EXPECT_EQ(ocrGetGuidKind(&kind, guid), 0);
    return kind;
  };
  ocrEventParams_t params;
  EXPECT_EQ(kind_of(event(OCR_EVENT_ONCE_T)), GUID_USER_EVENT_ONCE);
  EXPECT_EQ(kind_of(event(OCR_EVENT_IDEM_T)), GUID_USER_EVENT_IDEM);
  EXPECT_EQ(kind_of(event(OCR_EVENT_STICKY_T)), GUID_USER_EVENT_STICKY);
  EXPECT_EQ(kind_of(event(OCR_EVENT_LATCH_T)), GUID_USER_EVENT_LATCH);
  params.EVENT_COUNTED.nbDeps = 1;
  EXPECT_EQ(kind_of(event(OCR_EVENT_COUNTED_T, &params)), GUID_USER_EVENT_COUNTED);
  params.EVENT_CHANNEL = {1, 1, 1};
  EXPECT_EQ(kind_of(event(OCR_EVENT_CHANNEL_T, &params)), GUID_USER_EVENT_CHANNEL);
  params.EVENT_COLLECTIVE = {1, 1, 1, 1, 2, REDOP_U8_ADD, COL_REDUCE, false};
  EXPECT_EQ(kind_of(event(OCR_EVENT_COLLECTIVE_T, &params)), GUID_USER_EVENT_COLLECTIVE);
  EXPECT_EQ(kind_of(block()), GUID_USER_DB);
  const ocrGuid_t task = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  EXPECT_EQ(kind_of(task), GUID_USER_EDT);
  EXPECT_EQ(ocrEdtDestroy(task), 0);
  EXPECT_EQ(kind_of(task), GUID_USER_NONE);
  ocrGuid_t of;
  ASSERT_EQ(ocrEdtTemplateCreate_internal(
                &of, [](u32, u64*, u32, ocrEdtDep_t*) { return NULL_GUID; }, 0, 0, "f"),
            0);
  EXPECT_EQ(kind_of(of), GUID_USER_EDT_TEMPLATE);
  for (const ocrGuid_t guid : {NULL_GUID, UNINITIALIZED_GUID, ERROR_GUID, foreign()})
    EXPECT_EQ(kind_of(guid), GUID_USER_NONE);
}

TEST_P(Label, EveryKindHasRangesAndTheyEnd) {
  ocrGuid_t range = NULL_GUID, guid = NULL_GUID;
  for (const ocrGuidUserKind kind : {GUID_USER_DB, GUID_USER_EDT, GUID_USER_EDT_TEMPLATE, GUID_USER_EVENT_ONCE,
                                     GUID_USER_EVENT_COUNTED, GUID_USER_EVENT_IDEM, GUID_USER_EVENT_STICKY,
                                     GUID_USER_EVENT_LATCH, GUID_USER_EVENT_CHANNEL, GUID_USER_EVENT_COLLECTIVE}) {
    EXPECT_EQ(ocrGuidRangeCreate(&range, 3, kind), 0);
    EXPECT_EQ(ocrGuidFromIndex(&guid, range, 2), 0);
    EXPECT_NE(guid, NULL_GUID);
    EXPECT_EQ(ocrGuidRangeCreate(&range, u64{1} << 40, kind), OCR_ENOMEM);
    EXPECT_EQ(ocrGuidRangeCreate(&range, ~u64{0}, kind), OCR_ENOMEM);
  }
}

ocrGuid_t never(u32, u64*, u32, ocrEdtDep_t*) { return ADD_FAILURE(), NULL_GUID; }

// The memory of an EDT serves one with a label, and then one without.
TEST_P(Label, AStaleGuidOfAnEdtReachesNoLaterOneInItsMemory) {
  ocrGuid_t of;
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &never, 0, 1), 0);
  const auto create = [of](ocrGuid_t& guid, u16 properties) {
    EXPECT_EQ(ocrEdtCreate(&guid, of, 0, nullptr, 1, nullptr, properties, NULL_HINT, nullptr), 0);
  };
  std::vector<ocrGuid_t> gone;
  ocrGuid_t labelled = label(GUID_USER_EDT), made = NULL_GUID;
  for (int i = 0; i < 20; ++i) {
    create(made, EDT_PROP_NONE);
    for (const ocrGuid_t stale : gone) {
      ASSERT_NE(made, stale);
      ASSERT_EQ(ocrAddDependence(NULL_GUID, stale, 0, DB_MODE_NULL), OCR_EINVAL);
      ASSERT_EQ(ocrEdtDestroy(stale), OCR_EINVAL);
    }
    EXPECT_EQ(ocrEdtDestroy(made), 0);
    gone.push_back(made);
    create(labelled, GUID_PROP_CHECK);
    EXPECT_EQ(ocrEdtDestroy(labelled), 0);
    EXPECT_EQ(ocrEdtDestroy(labelled), OCR_EINVAL);
  }
}

TEST_P(Label, AnEdtWithALabelIsFoundOnce) {
  in_edt([] {
    ocrGuid_t of, guid = label(GUID_USER_EDT), plain = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
    ASSERT_EQ(ocrEdtDestroy(plain), 0) << "its memory may be that of the next";
    ASSERT_EQ(ocrEdtTemplateCreate(&of, &never, 0, 1), 0);
    ASSERT_EQ(ocrEdtCreate(&guid, of, 0, nullptr, 1, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), 0);
    const u32 paused = ocrPause(true);
    void* result = nullptr;
    u32 size = 0;
    ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &result, &size, 0);
    const auto* const found = static_cast<const ocrGuid_t*>(result);
    EXPECT_EQ(std::count(found, found + size / sizeof guid, guid), 1);
    ocrResume(paused);
    EXPECT_EQ(ocrEdtDestroy(guid), 0);
  });
}

TEST_P(Label, WhatIsNoLabelOfThatKindCannotBeUsed) {
  ocrGuid_t guid = label(GUID_USER_DB), none = foreign(), sticky = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&none, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
}

ocrGuid_t row_major(ocrGuid_t start, u64 skip, s64* params, s64* tuple) {
  return addValueToGuid(start, skip * static_cast<u64>(tuple[0] * params[0] + tuple[1]));
}

TEST_P(Label, AMapComputesLabelsFromTuples) {
  ocrGuid_t map, a, b, c;
  s64 columns = 4, first[] = {0, 3}, second[] = {1, 0}, third[] = {0, 3};
  ASSERT_EQ(ocrGuidMapCreate(&map, 1, &row_major, &columns, 12, GUID_USER_EVENT_STICKY), 0);
  columns = 0;  // it was copied
  ASSERT_EQ(ocrGuidFromLabel(&a, map, first), 0);
  ASSERT_EQ(ocrGuidFromLabel(&b, map, second), 0);
  ASSERT_EQ(ocrGuidFromLabel(&c, map, third), 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, c);
  EXPECT_EQ(ocrEventCreate(&a, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
  EXPECT_EQ(ocrGuidFromLabel(&a, foreign(), first), OCR_EINVAL);
  EXPECT_EQ(ocrGuidMapCreate(&map, 1, nullptr, &columns, 12, GUID_USER_EVENT_STICKY), OCR_EINVAL);
}

TEST_P(Label, NullStandsForTheDefaultMapOfWhichThereIsOne) {
  ocrGuid_t guid = NULL_GUID;
  s64 columns = 4, tuple[] = {0, 1};
  EXPECT_EQ(ocrGuidFromLabel(&guid, NULL_GUID, tuple), OCR_EINVAL) << "none yet, and none of an earlier program";
  EXPECT_EQ(ocrGuidMapSetDefaultMap(1, nullptr, &columns, 12, GUID_USER_EVENT_STICKY), OCR_EINVAL);
  EXPECT_EQ(ocrGuidMapSetDefaultMap(1, &row_major, nullptr, 12, GUID_USER_EVENT_STICKY), OCR_EINVAL);
  EXPECT_EQ(ocrGuidMapSetDefaultMap(1, &row_major, &columns, u64{1} << 40, GUID_USER_EVENT_STICKY), OCR_ENOMEM);
  ASSERT_EQ(ocrGuidMapSetDefaultMap(1, &row_major, &columns, 12, GUID_USER_EVENT_STICKY), 0);
  EXPECT_EQ(ocrGuidMapSetDefaultMap(1, &row_major, &columns, 12, GUID_USER_EVENT_STICKY), OCR_EPERM);
  ASSERT_EQ(ocrGuidFromLabel(&guid, NULL_GUID, tuple), 0);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
}

TEST_P(Label, ALabelBeyondTheMapIsNone) {
  ocrGuid_t map, guid;
  s64 columns = 4, tuple[] = {3, 0};
  ASSERT_EQ(ocrGuidMapCreate(&map, 1, &row_major, &columns, 12, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromLabel(&guid, map, tuple), 0) << "what the function says";
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
}

// Their memory, and what hangs on it, is still theirs: a leak for who looks for leaks, otherwise.
TEST_P(Label, DestroyedEdtsThatEventsKnowGiveUpTheirLabelsAtOnce) {
  ocrHint_t hint;
  ASSERT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
  ASSERT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1), 0);
  const ocrGuid_t fires = event(OCR_EVENT_STICKY_T), never = event(OCR_EVENT_STICKY_T);
  ocrGuid_t of;
  const ocrEdt_t function = [](u32, u64*, u32, ocrEdtDep_t*) {
    ADD_FAILURE();
    return NULL_GUID;
  };
  ASSERT_EQ(ocrEdtTemplateCreate(&of, function, 0, 2), 0);
  const ocrGuid_t guid = label(GUID_USER_EDT);
  for (int round = 0; round < 100; ++round) {
    ocrGuid_t made = guid;
    ASSERT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 2, nullptr, GUID_PROP_CHECK, &hint, nullptr), 0);
    ASSERT_EQ(ocrAddDependence(round % 2 == 0 ? fires : never, made, 0, DB_MODE_NULL), 0);
    ASSERT_EQ(ocrEdtDestroy(made), 0);
    EXPECT_EQ(ocrAddDependence(fires, made, 1, DB_MODE_NULL), OCR_EINVAL);
    EXPECT_EQ(ocrEdtDestroy(made), OCR_EINVAL);
  }
  EXPECT_EQ(ocrEventSatisfy(fires, NULL_GUID), 0);
  EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
}

TEST_P(Label, ADestroyedMapOrRangeGivesNoLabels) {
  ocrGuid_t range, guid, other;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 2, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromIndex(&guid, range, 0), 0);
  ASSERT_EQ(ocrGuidFromIndex(&other, range, 1), 0);
  ASSERT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
  EXPECT_EQ(ocrGuidMapDestroy(range), 0);
  EXPECT_EQ(ocrGuidRangeDestroy(range), OCR_EINVAL);
  EXPECT_EQ(ocrGuidFromIndex(&guid, range, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&other, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(guid, NULL_GUID), 0) << "objects live on";
}

}  // namespace
}  // namespace ocr_test
