// SPDX-License-Identifier: Apache-2.0

// ocrAddDependence() and ocrAddDependenceSlot(): what may be linked with what, and what each pair means.
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Dependence);

TEST_P(Dependence, BothEndsAndTheSlotHaveToExist) {
  const ocrGuid_t target = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrAddDependence(foreign(), target, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(UNINITIALIZED_GUID, target, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(ERROR_GUID, target, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(sticky, foreign(), 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(sticky, NULL_GUID, 0, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(sticky, target, 1, DB_MODE_RO), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(sticky, target, 0, static_cast<ocrDbAccessMode_t>(3)), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependence(sticky, target, 0, DB_MODE_RO), 0) << "the slot is as it was";
}

TEST_P(Dependence, NothingToNothingIsNoError) { EXPECT_EQ(ocrAddDependence(NULL_GUID, NULL_GUID, 0, DB_MODE_RO), 0); }

TEST_P(Dependence, SomeThingsCannotBeLinked) {
  const ocrGuid_t target = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  EXPECT_EQ(ocrAddDependence(target, event(OCR_EVENT_ONCE_T), 0, DB_MODE_RO), OCR_EPERM) << "an EDT is no source";
  EXPECT_EQ(ocrAddDependence(event(OCR_EVENT_ONCE_T), block(), 0, DB_MODE_RO), OCR_EPERM) << "a block is no target";
}

TEST_P(Dependence, ASlotHasOneSource) {
  const ocrGuid_t target = edt(2, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  EXPECT_EQ(ocrAddDependence(event(OCR_EVENT_STICKY_T), target, 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrAddDependence(block(), target, 0, DB_MODE_RO), OCR_EPERM);
  EXPECT_EQ(ocrAddDependence(NULL_GUID, target, 1, DB_MODE_RO), 0);
  EXPECT_EQ(ocrAddDependence(NULL_GUID, target, 1, DB_MODE_RO), OCR_EPERM);
}

TEST_P(Dependence, ABlockOrNothingSatisfiesASlotAtOnce) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t target = edt(2, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[1].ptr, nullptr);
      return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(block(12), target, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, target, 1, DB_MODE_RO), 0);
  });
  EXPECT_EQ(seen, 12u);
}

TEST_P(Dependence, ASlotOfAnEdtIsSatisfiedAsAnEventIs) {
  std::atomic<u64> seen{0};
  const ocrGuid_t data = block(12), ran = event(OCR_EVENT_STICKY_T);
  const ocrGuid_t consumer = edt(2, [&](u32, ocrEdtDep_t* d) {
    seen = *static_cast<u64*>(d[1].ptr) + (d[0].ptr == nullptr ? 1 : 0);
    EXPECT_EQ(d[1].guid, data);
    EXPECT_EQ(d[1].mode, DB_DEFAULT_MODE);
    return ocrEventSatisfy(ran, NULL_GUID), NULL_GUID;
  });
  EXPECT_EQ(ocrEventSatisfySlot(consumer, data, 2), OCR_EINVAL) << "there is no such slot";
  EXPECT_EQ(ocrEventSatisfySlot(consumer, foreign(), 1), OCR_EINVAL) << "nor such a block";
  EXPECT_EQ(ocrEventSatisfySlot(consumer, data, 1), 0);
  EXPECT_EQ(ocrEventSatisfySlot(consumer, data, 1), OCR_EPERM) << "it is satisfied";
  EXPECT_EQ(ocrAddDependence(ran, consumer, 1, DB_MODE_RO), OCR_EPERM);
  EXPECT_EQ(ocrEventSatisfy(consumer, NULL_GUID), 0);
  wait_for(ran);
  EXPECT_EQ(seen, 13u);
}

TEST_P(Dependence, ASlotThatDependsOnAnEventIsNotSatisfiedOtherwise) {
  const ocrGuid_t source = event(OCR_EVENT_STICKY_T), ran = event(OCR_EVENT_STICKY_T);
  const ocrGuid_t consumer = edt(1, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(ran, NULL_GUID), NULL_GUID; });
  ASSERT_EQ(ocrAddDependence(source, consumer, 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrEventSatisfySlot(consumer, NULL_GUID, 0), OCR_EPERM);
  EXPECT_EQ(ocrEventSatisfy(source, NULL_GUID), 0);
  wait_for(ran);
}

TEST_P(Dependence, ABlockToAnEventSatisfiesIt) {
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), data = block(1);
  EXPECT_EQ(ocrAddDependence(data, sticky, 0, DB_MODE_RO), 0);
  EXPECT_EQ(wait_for(sticky), data);
  EXPECT_EQ(ocrAddDependence(data, sticky, 0, DB_MODE_RO), OCR_EPERM);
}

TEST_P(Dependence, EventsChain) {
  const ocrGuid_t first = event(OCR_EVENT_ONCE_T), second = event(OCR_EVENT_STICKY_T), data = block(1);
  EXPECT_EQ(ocrAddDependence(first, second, 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrEventSatisfy(first, data), 0);
  EXPECT_EQ(wait_for(second), data);
}

TEST_P(Dependence, AnEventPassesOnABlockThatIsGone) {
  std::atomic<int> seen{0};
  in_edt([&] {
    const ocrGuid_t first = event(OCR_EVENT_STICKY_T), second = event(OCR_EVENT_STICKY_T), data = block(12);
    EXPECT_EQ(ocrEventSatisfy(first, data), 0);
    EXPECT_EQ(ocrDbDestroy(data), 0);
    const ocrGuid_t target = edt(1, [&](u32, ocrEdtDep_t* d) { return seen = d[0].ptr == nullptr ? 1 : 2, NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(second, target, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(first, second, 0, DB_MODE_RO), 0);
  });
  EXPECT_EQ(seen, 1);
}

TEST_P(Dependence, ABlockThatIsGoneIsRefusedBeforeTheEventIsLookedAt) {
  const ocrGuid_t satisfied = event(OCR_EVENT_STICKY_T), data = block(12);
  EXPECT_EQ(ocrEventSatisfy(satisfied, data), 0);
  EXPECT_EQ(ocrDbDestroy(data), 0);
  EXPECT_EQ(ocrEventSatisfy(satisfied, data), OCR_EINVAL);
  EXPECT_EQ(ocrEventDestroy(satisfied), 0);
}

TEST_P(Dependence, AnEventCanIncrementALatch) {
  const ocrGuid_t go = event(OCR_EVENT_STICKY_T), latch = event(OCR_EVENT_LATCH_T), done = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrAddDependence(latch, done, 0, DB_MODE_NULL), 0);
  EXPECT_EQ(ocrAddDependence(go, latch, OCR_EVENT_LATCH_INCR_SLOT, DB_MODE_NULL), 0);
  EXPECT_EQ(ocrEventSatisfy(go, NULL_GUID), 0);
  EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT), 0);
  EXPECT_EQ(wait_for(done), NULL_GUID);
}

TEST_P(Dependence, TheModeSaysHowTheBlockIsSeen) {
  in_edt([&] {
    for (const ocrDbAccessMode_t mode : {DB_MODE_RW, DB_MODE_EW, DB_MODE_RO, DB_MODE_CONST}) {
      const ocrGuid_t data = block(1);
      const ocrGuid_t target = edt(1, [mode, data](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(d[0].mode, mode);
        EXPECT_EQ(d[0].guid, data);
        EXPECT_NE(d[0].ptr, nullptr);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(data, target, 0, mode), 0);
    }
  });
}

TEST_P(Dependence, ModeNullIsControlOnly) {
  in_edt([&] {
    const ocrGuid_t data = block(1);
    const ocrGuid_t target = edt(1, [](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[0].guid, NULL_GUID);
      EXPECT_EQ(d[0].ptr, nullptr);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, target, 0, DB_MODE_NULL), 0);
  });
}

TEST_P(Dependence, OneBlockInSeveralSlotsIsAcquiredAndReleasedOnce) {
  const ocrGuid_t data = block(5);
  in_edt([&] {
    const ocrGuid_t target = edt(3, [data](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[0].ptr, d[1].ptr);
      EXPECT_EQ(d[1].ptr, d[2].ptr);
      EXPECT_EQ(ocrDbRelease(data), 0);
      EXPECT_EQ(ocrDbRelease(data), OCR_EACCES);
      return NULL_GUID;
    });
    for (u32 i = 0; i < 3; ++i) EXPECT_EQ(ocrAddDependence(data, target, i, DB_MODE_EW), 0);
  });
  EXPECT_EQ(ocrDbDestroy(data), 0);
}

TEST_P(Dependence, ASlotWithoutABlockShowsModeMinusOne) {
  in_edt([] {
    const std::vector<ocrGuid_t> depv = {NULL_GUID, UNINITIALIZED_GUID};
    const ocrGuid_t target = edt(2,
                                 [](u32, ocrEdtDep_t* d) {
                                   for (int i = 0; i < 2; ++i) {
                                     EXPECT_EQ(static_cast<int>(d[i].mode), -1);
                                     EXPECT_EQ(d[i].guid, NULL_GUID);
                                     EXPECT_EQ(d[i].ptr, nullptr);
                                   }
                                   return NULL_GUID;
                                 },
                                 {EDT_PROP_NONE, nullptr, nullptr, &depv});
    EXPECT_EQ(ocrAddDependence(NULL_GUID, target, 1, DB_MODE_RO), 0);
  });
}

TEST_P(Dependence, TheModeMeansNothingToAnEvent) {
  const ocrGuid_t first = event(OCR_EVENT_ONCE_T), second = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrAddDependence(first, second, 0, static_cast<ocrDbAccessMode_t>(77)), 0);
  EXPECT_EQ(ocrAddDependence(NULL_GUID, first, 0, static_cast<ocrDbAccessMode_t>(-5)), 0);
  EXPECT_EQ(wait_for(second), NULL_GUID);
}

TEST_P(Dependence, OtherEventsHaveOneOutput) {
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), next = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrAddDependenceSlot(sticky, 0, next, 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrAddDependenceSlot(sticky, 1, next, 0, DB_MODE_RO), OCR_EINVAL);
}

}  // namespace
}  // namespace ocr_test
