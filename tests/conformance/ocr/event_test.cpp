// SPDX-License-Identifier: Apache-2.0

// Events: create, satisfy and destroy, type by type.
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Event);

// An EDT that depends on the event and adds what it got, or 1000 for no block, to `sum`.
void add_reader(ocrGuid_t source, std::atomic<u64>& sum, ocrDbAccessMode_t mode = DB_MODE_RO) {
  const ocrGuid_t reader = edt(1, [&sum](u32, ocrEdtDep_t* d) {
    sum += d[0].ptr == nullptr ? 1000 : *static_cast<u64*>(d[0].ptr);
    return NULL_GUID;
  });
  EXPECT_EQ(ocrAddDependence(source, reader, 0, mode), 0);
}

TEST_P(Event, AnUnknownTypeIsAnError) {
  ocrGuid_t guid;
  EXPECT_EQ(ocrEventCreate(&guid, static_cast<ocrEventTypes_t>(0), EVT_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_T_MAX, EVT_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(nullptr, OCR_EVENT_ONCE_T, EVT_PROP_NONE), OCR_EINVAL);
}

TEST_P(Event, WhatWasNotMadeHasNoGuid) {
  ocrGuid_t guid = foreign();
  EXPECT_EQ(ocrEventCreate(&guid, static_cast<ocrEventTypes_t>(0), EVT_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(guid, NULL_GUID);
  guid = foreign();
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(guid, NULL_GUID);
}

TEST_P(Event, WhatIsNoEventCannotBeSatisfiedOrDestroyed) {
  for (const ocrGuid_t guid : {NULL_GUID, UNINITIALIZED_GUID, ERROR_GUID, foreign(), foreign(-99), block()}) {
    EXPECT_EQ(ocrEventSatisfy(guid, block()), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfySlot(guid, NULL_GUID, 0), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(guid), OCR_EINVAL);
  }
}

TEST_P(Event, NothingPassedToNothingIsNoError) { EXPECT_EQ(ocrEventSatisfy(NULL_GUID, NULL_GUID), 0); }

TEST_P(Event, WhatIsNoBlockCannotBePassed) {
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), gone = block();
  ocrDbDestroy(gone);
  EXPECT_EQ(ocrEventSatisfy(sticky, gone), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(sticky, foreign()), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(sticky, sticky), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(sticky, NULL_GUID), 0) << "the event is as it was";
}

TEST_P(Event, OnlyLatchesHaveASecondSlot) {
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), latch = event(OCR_EVENT_LATCH_T);
  EXPECT_EQ(ocrEventSatisfySlot(sticky, NULL_GUID, 1), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, 2), OCR_EINVAL);
}

TEST_P(Event, AnEventMadeWithoutArgumentStillCarriesABlock) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    ocrGuid_t plain;
    ASSERT_EQ(ocrEventCreate(&plain, OCR_EVENT_ONCE_T, EVT_PROP_NONE), 0);
    add_reader(plain, sum);
    EXPECT_EQ(ocrEventSatisfy(plain, block(4)), 0);
  });
  EXPECT_EQ(sum, 4u);
}

TEST_P(Event, OnceReleasesAllDependentsAndIsGone) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t once = event(OCR_EVENT_ONCE_T);
    for (int i = 0; i < 5; ++i) add_reader(once, sum);
    EXPECT_EQ(ocrEventSatisfy(once, block(2)), 0);
    EXPECT_EQ(ocrEventSatisfy(once, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(once), OCR_EINVAL);
  });
  EXPECT_EQ(sum, 10u);
}

TEST_P(Event, StickyReleasesEarlierAndLaterDependentsUntilItIsDestroyed) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    add_reader(sticky, sum);
    EXPECT_EQ(ocrEventSatisfy(sticky, block(3)), 0);
    add_reader(sticky, sum);
    EXPECT_EQ(ocrEventSatisfy(sticky, NULL_GUID), OCR_EPERM);
    add_reader(sticky, sum);
    EXPECT_EQ(ocrEventDestroy(sticky), 0);
    EXPECT_EQ(ocrEventDestroy(sticky), OCR_EINVAL);
  });
  EXPECT_EQ(sum, 9u);
}

TEST_P(Event, IdemIgnoresLaterSatisfactions) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t idem = event(OCR_EVENT_IDEM_T);
    EXPECT_EQ(ocrEventSatisfy(idem, block(6)), 0);
    EXPECT_EQ(ocrEventSatisfy(idem, block(7)), 0);
    add_reader(idem, sum);
    EXPECT_EQ(ocrEventDestroy(idem), 0);
  });
  EXPECT_EQ(sum, 6u);
}

TEST_P(Event, ALatchFiresWhenItsCountsAreEqualAndIgnoresBlocks) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t latch = event(OCR_EVENT_LATCH_T);
    add_reader(latch, sum);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfy(latch, block(1)), 0) << "slot 0 decrements";
    EXPECT_EQ(ocrEventSatisfySlot(latch, block(1), OCR_EVENT_LATCH_DECR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfy(latch, NULL_GUID), OCR_EINVAL) << "it is gone";
  });
  EXPECT_EQ(sum, 1000u);
}

TEST_P(Event, ADecrementMayComeBeforeItsIncrement) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t latch = event(OCR_EVENT_LATCH_T);
    add_reader(latch, sum);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
  });
  EXPECT_EQ(sum, 1000u);
}

TEST_P(Event, ALatchStartsWithTheCounterOfItsParameters) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    ocrEventParams_t params;
    params.EVENT_LATCH.counter = 50;
    const ocrGuid_t latch = event(OCR_EVENT_LATCH_T, &params);
    add_reader(latch, sum);
    for (int i = 0; i < 50; ++i)
      edt(0, [latch](u32, ocrEdtDep_t*) { return ocrEventSatisfySlot(latch, NULL_GUID, 0), NULL_GUID; });
  });
  EXPECT_EQ(sum, 1000u);
}

TEST_P(Event, ACountedEventNeedsACount) {
  ocrGuid_t guid;
  ocrEventParams_t params;
  params.EVENT_COUNTED.nbDeps = 0;
  EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_COUNTED_T, EVT_PROP_NONE), OCR_EINVAL);
}

TEST_P(Event, CountersMayBeAsLargeAsTheirType) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    ocrEventParams_t params;
    params.EVENT_COUNTED.nbDeps = ~u64{0};
    const ocrGuid_t counted = event(OCR_EVENT_COUNTED_T, &params);
    EXPECT_EQ(ocrEventSatisfy(counted, block(1)), 0);
    add_reader(counted, sum);
    params.EVENT_LATCH.counter = u64{1} << 63;
    const ocrGuid_t latch = event(OCR_EVENT_LATCH_T, &params);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
    EXPECT_EQ(ocrEventDestroy(latch), 0);
    EXPECT_EQ(ocrEventDestroy(counted), 0);
  });
  EXPECT_EQ(sum, 1u);
}

TEST_P(Event, ACountedEventIsGoneAfterItsSatisfactionAndItsDependences) {
  std::atomic<u64> sum{0};
  for (const int before : {0, 1, 2, 3}) {
    in_edt([&] {
      ocrEventParams_t params;
      params.EVENT_COUNTED.nbDeps = 3;
      const ocrGuid_t counted = event(OCR_EVENT_COUNTED_T, &params);
      for (int i = 0; i < before; ++i) add_reader(counted, sum);
      EXPECT_EQ(ocrEventSatisfy(counted, block(1)), 0);
      if (before < 3) {
        EXPECT_EQ(ocrEventSatisfy(counted, NULL_GUID), OCR_EPERM);
      }
      for (int i = before; i < 3; ++i) add_reader(counted, sum);
      EXPECT_EQ(ocrEventDestroy(counted), OCR_EINVAL);
    });
  }
  EXPECT_EQ(sum, 12u);
}

ocrGuid_t channel(u32 generations, u32 satisfactions = 1, u32 dependences = 1, u8 expected = 0) {
  ocrEventParams_t params;
  params.EVENT_CHANNEL.maxGen = generations;
  params.EVENT_CHANNEL.nbSat = satisfactions;
  params.EVENT_CHANNEL.nbDeps = dependences;
  ocrGuid_t guid = NULL_GUID;
  EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params), expected);
  return guid;
}

TEST_P(Event, AChannelTakesOneSatisfactionPerDependence) {
  channel(1, 2, 1, OCR_EINVAL);
  channel(1, 1, 2, OCR_EINVAL);
  channel(0, 1, 1, OCR_EINVAL);
  ocrGuid_t guid;
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG), OCR_EINVAL);
}

TEST_P(Event, AChannelPairsInOrderWhicheverSideComesFirst) {
  std::vector<u64> got(6);
  in_edt([&] {
    const ocrGuid_t pipe = channel(3);
    const auto receive = [&](std::size_t i) {
      const ocrGuid_t reader =
          edt(1, [&got, i](u32, ocrEdtDep_t* d) { return got[i] = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(pipe, reader, 0, DB_MODE_RO), 0);
    };
    for (u64 i = 0; i < 3; ++i) EXPECT_EQ(ocrEventSatisfy(pipe, block(i + 1)), 0);
    for (std::size_t i = 0; i < 6; ++i) receive(i);
    for (u64 i = 3; i < 6; ++i) EXPECT_EQ(ocrEventSatisfy(pipe, block(i + 1)), 0);
    EXPECT_EQ(ocrEventDestroy(pipe), 0) << "it never goes by itself";
  });
  EXPECT_EQ(got, (std::vector<u64>{1, 2, 3, 4, 5, 6}));
}

TEST_P(Event, AFullChannelRefuses) {
  const ocrGuid_t pipe = channel(2);
  EXPECT_EQ(ocrEventSatisfy(pipe, NULL_GUID), 0);
  EXPECT_EQ(ocrEventSatisfy(pipe, NULL_GUID), 0);
  EXPECT_EQ(ocrEventSatisfy(pipe, NULL_GUID), OCR_EPERM);
  const ocrGuid_t endless = channel(EVENT_CHANNEL_UNBOUNDED);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(ocrEventSatisfy(endless, NULL_GUID), 0);
}

TEST_P(Event, AChannelRefusesDependencesBeyondItsGenerations) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t pipe = channel(2);
    add_reader(pipe, sum);
    add_reader(pipe, sum);
    const ocrGuid_t third = edt(1, [&](u32, ocrEdtDep_t* d) { return sum += *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(pipe, third, 0, DB_MODE_RO), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(pipe, event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), OCR_EPERM);
    EXPECT_EQ(ocrEventSatisfy(pipe, block(1)), 0);
    EXPECT_EQ(ocrAddDependence(pipe, third, 0, DB_MODE_RO), 0) << "there is room, and the slot is as it was";
    EXPECT_EQ(ocrEventSatisfy(pipe, block(10)), 0);
    EXPECT_EQ(ocrEventSatisfy(pipe, block(100)), 0);
    const ocrGuid_t endless = channel(EVENT_CHANNEL_UNBOUNDED);
    for (int i = 0; i < 1000; ++i) add_reader(endless, sum);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(ocrEventSatisfy(endless, block(1000)), 0);
  });
  EXPECT_EQ(sum, 1000111u);
}

TEST_P(Event, AnEdtMayDestroyTheEventThatItDependedOn) {
  std::atomic<int> ran{0};
  in_edt([&] {
    for (const ocrEventTypes_t type : {OCR_EVENT_STICKY_T, OCR_EVENT_IDEM_T}) {
      const ocrGuid_t source = event(type);
      const ocrGuid_t last = edt(1, [source, &ran](u32, ocrEdtDep_t*) {
        EXPECT_EQ(ocrEventDestroy(source), 0);
        EXPECT_EQ(ocrEventSatisfy(source, NULL_GUID), OCR_EINVAL);
        return ++ran, NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(source, last, 0, DB_MODE_NULL), 0);
      EXPECT_EQ(ocrEventSatisfy(source, NULL_GUID), 0);
    }
  });
  EXPECT_EQ(ran, 2);
}

TEST_P(Event, AChannelTellsWhetherSomethingIsReady) {
  const ocrGuid_t pipe = channel(2);
  EXPECT_FALSE(ocrLegacyIsChannelReady(pipe));
  ocrEventSatisfy(pipe, NULL_GUID);
  EXPECT_TRUE(ocrLegacyIsChannelReady(pipe));
  EXPECT_FALSE(ocrLegacyIsChannelReady(foreign()));
}

TEST_P(Event, ALongChainOfEventsFiresWithoutRecursion) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t first = event(OCR_EVENT_ONCE_T);
    ocrGuid_t last = first;
    for (int i = 0; i < 200000; ++i) {
      const ocrGuid_t next = event(OCR_EVENT_ONCE_T);
      ASSERT_EQ(ocrAddDependence(last, next, 0, DB_MODE_RO), 0);
      last = next;
    }
    add_reader(last, sum);
    EXPECT_EQ(ocrEventSatisfy(first, block(8)), 0);
  });
  EXPECT_EQ(sum, 8u);
}

TEST_P(Event, ManyProducersSatisfyManyEventsOnce) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    for (int i = 0; i < 2000; ++i) {
      const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
      edt(0, [sticky](u32, ocrEdtDep_t*) { return ocrEventSatisfy(sticky, block(1)), NULL_GUID; });
      add_reader(sticky, sum);
    }
  });
  EXPECT_EQ(sum, 2000u);
}

}  // namespace
}  // namespace ocr_test
