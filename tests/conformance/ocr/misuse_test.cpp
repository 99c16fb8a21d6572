// SPDX-License-Identifier: Apache-2.0

// Misuse, in the middle of a program: each has its error code or its line on standard error, nothing comes into being
// by it, and the rest of the program is as it would have been.
#include <sys/resource.h>

#include <algorithm>

#include "base/sanitizers.hpp"
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

// How many EDTs, or events, there are. In an EDT.
u64 living(ocrQueryType_t what) {
  const u32 paused = ocrPause(true);
  void* result = nullptr;
  u32 size = 0;
  const ocrGuid_t found = ocrQuery(what, NULL_GUID, &result, &size, 0);
  EXPECT_EQ(ocrDbDestroy(found), 0);
  ocrResume(paused);
  return size / sizeof(ocrGuid_t);
}

class Misuse : public OcrTest {
 protected:
  void harmless(const std::function<void()>& misuse) {
    const ocrGuid_t sum = block(0);
    in_edt([&] {
      add_tens(sum);
      const u64 edts = living(OCR_QUERY_ALL_EDTS), events = living(OCR_QUERY_EVENTS);
      misuse();
      EXPECT_LE(living(OCR_QUERY_ALL_EDTS), edts) << "those before may have ended";
      EXPECT_EQ(living(OCR_QUERY_EVENTS), events);
      add_tens(sum);
    });
    EXPECT_EQ(value_of(sum), 400u);
  }

  u64 value_of(ocrGuid_t data) {
    u64 value = 0;
    in_edt([&] {
      const ocrGuid_t reader =
          edt(1, [&](u32, ocrEdtDep_t* d) { return value = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_CONST), 0);
    });
    return value;
  }

 private:
  static void add_tens(ocrGuid_t sum) {
    for (int i = 0; i < 20; ++i) {
      const ocrGuid_t ten = edt(1, [](u32, ocrEdtDep_t* d) { return *static_cast<u64*>(d[0].ptr) += 10, NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(sum, ten, 0, DB_MODE_EW), 0);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Misuse, testing::Values(1, 2, 8),
                         [](const testing::TestParamInfo<int>& i) { return std::to_string(i.param); });

ocrGuid_t never(u32, u64*, u32, ocrEdtDep_t*) {
  ADD_FAILURE() << "an EDT that was refused runs";
  return NULL_GUID;
}

ocrGuid_t template_of(u32 paramc, u32 depc) {
  ocrGuid_t guid = NULL_GUID;
  EXPECT_EQ(ocrEdtTemplateCreate(&guid, &never, paramc, depc), 0);
  return guid;
}

TEST_P(Misuse, WrongCountsOfParametersAndDependences) {
  harmless([] {
    const ocrGuid_t of = template_of(2, 1);
    u64 params[3] = {};
    ocrGuid_t nothing[3] = {NULL_GUID, NULL_GUID, NULL_GUID}, made, output = NULL_GUID;
    for (const u32 paramc : {u32{0}, u32{1}, u32{3}, EDT_PARAM_UNK}) {
      EXPECT_EQ(ocrEdtCreate(&made, of, paramc, params, 1, nothing, EDT_PROP_FINISH, NULL_HINT, &output), OCR_EINVAL);
      EXPECT_EQ(made, NULL_GUID);
    }
    for (const u32 depc : {u32{0}, u32{3}, EDT_PARAM_UNK})
      EXPECT_EQ(ocrEdtCreate(&made, of, 2, params, depc, nothing, EDT_PROP_NONE, NULL_HINT, &output), OCR_EINVAL);
    EXPECT_EQ(output, NULL_GUID);
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  });
}

#if !WEIR_ASAN && !WEIR_TSAN  // those end the program where memory ends
TEST_P(Misuse, MoreSlotsThanThereIsMemoryFor) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit less{std::min<rlim_t>(before.rlim_max, rlim_t{100} << 30), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  harmless([] {
    const ocrGuid_t of = template_of(0, EDT_PARAM_UNK);
    ocrGuid_t range, label, output = NULL_GUID, made = foreign();
    ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_EDT), 0);
    ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
    constexpr u32 kMost = EDT_PARAM_DEF - 1;
    EXPECT_EQ(ocrEdtCreate(&made, of, 0, nullptr, kMost, nullptr, EDT_PROP_FINISH, NULL_HINT, &output), OCR_ENOMEM);
    EXPECT_EQ(made, NULL_GUID);
    for (const u32 depc : {kMost, kMost, u32{1}})
      EXPECT_EQ(ocrEdtCreate(&label, of, 0, nullptr, depc, nullptr, GUID_PROP_CHECK, NULL_HINT, &output),
                depc == 1 ? 0 : OCR_ENOMEM);
    EXPECT_EQ(ocrEdtDestroy(label), 0);
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  });
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}
#endif

TEST_P(Misuse, ArraysAndPlacesThatAreNull) {
  harmless([] {
    const ocrGuid_t of = template_of(1, 1);
    ocrGuid_t made;
    u64 param = 0;
    void* data = nullptr;
    EXPECT_EQ(ocrEdtCreate(&made, of, 1, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrEdtCreate(nullptr, of, 1, &param, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EPERM);
    EXPECT_EQ(ocrEdtCreate(nullptr, of, 1, &param, 1, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrEdtTemplateCreate(nullptr, &never, 0, 0), OCR_EINVAL);
    EXPECT_EQ(ocrEdtTemplateCreate(&made, nullptr, 0, 0), OCR_EINVAL);
    EXPECT_EQ(ocrEventCreate(nullptr, OCR_EVENT_STICKY_T, EVT_PROP_NONE), OCR_EINVAL);
    EXPECT_EQ(ocrDbCreate(nullptr, &data, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), OCR_EINVAL);
    EXPECT_EQ(ocrDbCreate(&made, nullptr, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), OCR_EINVAL);
    EXPECT_EQ(ocrSetHint(of, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrHintInit(nullptr, OCR_HINT_EDT_T), OCR_EINVAL);
    EXPECT_EQ(ocrGetArgc(nullptr), 0u);
    EXPECT_EQ(ocrGetArgv(nullptr, 0), nullptr);
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  });
}

// Any int can be in an enumeration of C.
TEST_P(Misuse, NumbersThatAreNoneOfAnEnumeration) {
  harmless([] {
    for (const int number : {-1, 5, 99, 1 << 20, -(1 << 30)}) {
      ocrGuid_t guid = NULL_GUID, of = template_of(0, 1), data = block();
      ocrGuid_t target = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
      void* pointer = nullptr;
      u64 count = 1;
      ocrHint_t hint;
      EXPECT_EQ(ocrDbCreate(&guid, &pointer, 8, DB_PROP_NONE, NULL_HINT, static_cast<ocrInDbAllocator_t>(number)),
                OCR_EINVAL);
      EXPECT_EQ(ocrEventCreate(&guid, static_cast<ocrEventTypes_t>(number == 5 ? 8 : number), EVT_PROP_NONE),
                OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(data, target, 0, static_cast<ocrDbAccessMode_t>(number)), OCR_EINVAL);
      EXPECT_EQ(ocrHintInit(&hint, static_cast<ocrHintType_t>(number)), OCR_EINVAL);
      ASSERT_EQ(ocrHintInit(&hint, OCR_HINT_DB_T), 0);
      EXPECT_EQ(ocrSetHintValue(&hint, static_cast<ocrHintProp_t>(number), 1), OCR_EINVAL);
      hint.type = static_cast<ocrHintType_t>(number);
      EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_DB_FAR, 1), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(of, &hint), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(data, &hint), OCR_EINVAL);
      EXPECT_EQ(ocrAffinityCount(static_cast<ocrAffinityKind>(number), &count), OCR_EINVAL);
      EXPECT_EQ(ocrAffinityGet(static_cast<ocrAffinityKind>(number), &count, &guid), OCR_EINVAL);
      EXPECT_EQ(ocrAffinityGetAt(static_cast<ocrAffinityKind>(number), 0, &guid), OCR_EINVAL);
      EXPECT_EQ(ocrGuidRangeCreate(&guid, 1, static_cast<ocrGuidUserKind>(number)), OCR_EINVAL);
      ocrEventParams_t params;
      params.EVENT_COLLECTIVE = {1, 2, 2, 1, 2, REDOP_U8_ADD, static_cast<collectiveType_t>(number), false};
      EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params), OCR_EINVAL);
      const u32 paused = ocrPause(true);
      u32 size = 7;
      EXPECT_EQ(ocrQuery(static_cast<ocrQueryType_t>(number), target, &pointer, &size, 0), NULL_GUID);
      EXPECT_EQ(size, 0u);
      ocrResume(paused);
      EXPECT_EQ(ocrEdtDestroy(target), 0);
      EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
    }
  });
}

TEST_P(Misuse, SlotsThatDoNotExist) {
  std::atomic<u64> seen{0};
  const ocrGuid_t data = block(5);
  harmless([&] {
    const ocrGuid_t one = edt(1, [&](u32, ocrEdtDep_t* d) { return seen += *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    const ocrGuid_t latch = event(OCR_EVENT_LATCH_T), sticky = event(OCR_EVENT_STICKY_T);
    for (const u32 slot : {u32{1}, u32{1000}, ~u32{0}}) {
      EXPECT_EQ(ocrAddDependence(data, one, slot, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(sticky, one, slot, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrEventSatisfySlot(sticky, data, slot), OCR_EINVAL);
    }
    for (const u32 slot : {u32{2}, u32{1000}, ~u32{0}}) EXPECT_EQ(ocrEventSatisfySlot(latch, data, slot), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(latch), 0);
    EXPECT_EQ(ocrAddDependence(sticky, one, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(sticky, data), 0);
    EXPECT_EQ(ocrEventDestroy(sticky), 0);
    while (seen == 0) ocrInformLegacyCodeBlocking();
  });
  EXPECT_EQ(seen, 5u);
}

// Of events elsewhere that is noticed when the source is satisfied.
TEST_P(Misuse, SlotsOfEventsThatDoNotExistAreNotLinked) {
  if (are_elsewhere()) return;
  harmless([&] {
    ocrEventParams_t params;
    params.EVENT_COLLECTIVE = {1, 2, 2, 1, 2, REDOP_U8_ADD, COL_REDUCE, false};
    const ocrGuid_t source = event(OCR_EVENT_STICKY_T), latch = event(OCR_EVENT_LATCH_T);
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), collective = event(OCR_EVENT_COLLECTIVE_T, &params);
    ocrGuid_t range, later;
    EXPECT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
    EXPECT_EQ(ocrGuidFromIndex(&later, range, 0), 0);
    for (const ocrGuid_t from : {source, later}) {
      EXPECT_EQ(ocrAddDependence(from, latch, 2, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(from, latch, 7, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(from, sticky, 1, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(from, collective, 0, DB_MODE_RO), OCR_EPERM);
    }
    EXPECT_EQ(ocrAddDependence(source, latch, OCR_EVENT_LATCH_INCR_SLOT, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(source, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(source, sticky, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(source, NULL_GUID), 0);
    EXPECT_EQ(ocrWait(sticky), NULL_GUID);
    for (const ocrGuid_t each : {source, sticky, collective}) EXPECT_EQ(ocrEventDestroy(each), 0);
    EXPECT_EQ(ocrEventDestroy(latch), OCR_EINVAL) << "it was as often incremented as decremented";
    EXPECT_EQ(ocrGuidMapDestroy(range), 0);
  });
}

TEST_P(Misuse, ACollectiveEventIsNoOutput) {
  if (are_elsewhere()) return;
  harmless([] {
    ocrEventParams_t params;
    params.EVENT_COLLECTIVE = {1, 2, 2, 1, 2, REDOP_U8_ADD, COL_REDUCE, false};
    ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), made = collective;
    const ocrGuid_t of = template_of(0, 1);
    EXPECT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 1, nullptr, EDT_PROP_OEVT_VALID, NULL_HINT, &collective), OCR_EINVAL);
    EXPECT_EQ(made, NULL_GUID);
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
    EXPECT_EQ(ocrEventDestroy(collective), 0);
  });
}

TEST_P(Misuse, ASecondSatisfactionLeavesTheFirst) {
  const ocrGuid_t first = block(1), second = block(2);
  std::atomic<u64> seen{0};
  harmless([&] {
    for (const ocrEventTypes_t type : {OCR_EVENT_STICKY_T, OCR_EVENT_COUNTED_T}) {
      ocrEventParams_t params;
      params.EVENT_COUNTED.nbDeps = 1;
      const ocrGuid_t once = event(type, &params);
      EXPECT_EQ(ocrEventSatisfy(once, first), 0);
      EXPECT_EQ(ocrEventSatisfy(once, second), OCR_EPERM);
      EXPECT_EQ(ocrAddDependence(second, once, 0, DB_MODE_RO), OCR_EPERM);
      const ocrGuid_t reader =
          edt(2, [&](u32, ocrEdtDep_t* d) { return seen += *static_cast<u64*>(d[0].ptr), NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(once, reader, 0, DB_MODE_RO), 0);
      EXPECT_EQ(ocrAddDependence(second, reader, 0, DB_MODE_RO), OCR_EPERM);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, reader, 0, DB_MODE_RO), OCR_EPERM);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, reader, 1, DB_MODE_RO), 0);
      if (type == OCR_EVENT_STICKY_T) {
        EXPECT_EQ(ocrEventDestroy(once), 0);
      }
    }
    while (seen != 2) ocrInformLegacyCodeBlocking();
  });
  EXPECT_EQ(seen, 2u);
}

// While the next one has the block, a second release by the first must not let a third one in.
TEST_P(Misuse, ASecondReleaseDoesNotReleaseForOthers) {
  const ocrGuid_t data = block(0), second_has_it = event(OCR_EVENT_STICKY_T), first_is_done = event(OCR_EVENT_STICKY_T);
  std::string order;
  in_edt([&] {
    const ocrGuid_t first = edt(1, [&](u32, ocrEdtDep_t*) {
      const ocrGuid_t second = edt(1, [&](u32, ocrEdtDep_t*) {
        EXPECT_EQ(ocrEventSatisfy(second_has_it, NULL_GUID), 0);
        EXPECT_EQ(ocrLegacyBlockProgress(first_is_done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
        for (int i = 0; i < 50; ++i) ocrInformLegacyCodeBlocking();  // gives the third every chance
        return order += "2", NULL_GUID;
      });
      const ocrGuid_t third = edt(1, [&](u32, ocrEdtDep_t*) { return order += "3", NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(data, second, 0, DB_MODE_EW), 0);
      EXPECT_EQ(ocrAddDependence(data, third, 0, DB_MODE_EW), 0);
      EXPECT_EQ(ocrDbRelease(data), 0);
      edt(0, [&](u32, ocrEdtDep_t*) {  // has never had it
        EXPECT_EQ(ocrDbRelease(data), OCR_EACCES);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrDbRelease(data), OCR_EACCES);
      return ocrEventSatisfy(first_is_done, NULL_GUID), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, first, 0, DB_MODE_EW), 0);
  });
  EXPECT_EQ(order, "23");
}

// The table entries of what was destroyed are used again at once: by objects that stale GUIDs must not reach. That a
// block or an event of another rank is gone is noticed later where each call would have to ask for it.
TEST_P(Misuse, GuidsOfDestroyedObjectsReachNothing) {
  harmless([] {
    enum { kEvent, kBlock };  // then a template, and an EDT, and again
    std::vector<ocrGuid_t> gone;
    for (int i = 0; i < 100; ++i) {
      gone.push_back(event(OCR_EVENT_STICKY_T));
      EXPECT_EQ(ocrEventDestroy(gone.back()), 0);
      gone.push_back(block());
      EXPECT_EQ(ocrDbDestroy(gone.back()), 0);
      gone.push_back(template_of(0, 0));
      EXPECT_EQ(ocrEdtTemplateDestroy(gone.back()), 0);
      gone.push_back(edt(1, [](u32, ocrEdtDep_t*) { return ADD_FAILURE(), NULL_GUID; }));
      EXPECT_EQ(ocrEdtDestroy(gone.back()), 0);
    }
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), data = block(3), of = template_of(0, 0);
    std::atomic<u64> seen{0};
    const ocrGuid_t reader =
        edt(2, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_DB_T);
    u64 size = 0;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      ocrGuid_t stale = gone[i];
      EXPECT_EQ(ocrEventSatisfy(stale, NULL_GUID), OCR_EINVAL);
      const bool is_far_block = are_elsewhere() && i % 4 == kBlock, is_far_event = are_elsewhere() && i % 4 == kEvent;
      if (!is_far_block) {
        EXPECT_EQ(ocrEventSatisfy(sticky, stale), OCR_EINVAL);
        EXPECT_EQ(ocrAddDependence(stale, reader, 0, DB_MODE_RO), OCR_EINVAL);
      }
      EXPECT_EQ(ocrEventDestroy(stale), OCR_EINVAL);
      EXPECT_EQ(ocrDbDestroy(stale), OCR_EINVAL);
      EXPECT_EQ(ocrDbRelease(stale), OCR_EINVAL);
      EXPECT_EQ(ocrDbGetSize(stale, &size), OCR_EINVAL);
      EXPECT_EQ(ocrEdtTemplateDestroy(stale), OCR_EINVAL);
      EXPECT_EQ(ocrEdtDestroy(stale), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(data, stale, 0, DB_MODE_RO), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(stale, &hint), OCR_EINVAL);
      EXPECT_EQ(ocrLegacyBlockProgress(stale, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EINVAL);
      ocrGuid_t made;
      EXPECT_EQ(ocrEdtCreate(&made, stale, 0, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EINVAL);
      if (is_far_event) continue;
      EXPECT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 0, nullptr, EDT_PROP_OEVT_VALID, NULL_HINT, &stale), OCR_EINVAL);
    }
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
    EXPECT_EQ(ocrAddDependence(sticky, reader, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, reader, 1, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(sticky, data), 0);
    while (seen == 0) ocrInformLegacyCodeBlocking();
    EXPECT_EQ(seen, 3u);
    EXPECT_EQ(ocrEventDestroy(sticky), 0);
    EXPECT_EQ(ocrDbDestroy(data), 0);
  });
}

// An EDT and an event are no data blocks, whichever rank they are on.
TEST_P(Misuse, WhatIsNoDataBlockIsNotTakenForOne) {
  harmless([] {
    u64 places = 0;
    ASSERT_EQ(ocrAffinityCount(AFFINITY_PD, &places), 0);
    std::vector<ocrGuid_t> affinities(places);
    ASSERT_EQ(ocrAffinityGet(AFFINITY_PD, &places, affinities.data()), 0);
    const ocrGuid_t of = template_of(0, 1);
    for (const ocrGuid_t affinity : affinities) {
      ocrHint_t hint;
      ocrHintInit(&hint, OCR_HINT_EDT_T);
      ASSERT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)), 0);
      ocrGuid_t there = NULL_GUID;
      ASSERT_EQ(ocrEdtCreate(&there, of, 0, nullptr, 1, nullptr, EDT_PROP_NONE, &hint, nullptr), 0);
      const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
      for (const ocrGuid_t none : {there, sticky}) {
        u64 size = 0, offset = 0;
        EXPECT_EQ(ocrDbRelease(none), OCR_EINVAL);
        EXPECT_EQ(ocrDbGetSize(none, &size), OCR_EINVAL);
        EXPECT_EQ(ocrDbMallocOffset(none, 8, &offset), OCR_EINVAL);
        EXPECT_EQ(ocrEventSatisfySlot(there, none, 0), OCR_EINVAL);
      }
      EXPECT_EQ(ocrEventDestroy(sticky), 0);
      EXPECT_EQ(ocrEdtDestroy(there), 0);
    }
    EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  });
}

// ---- What no return code can tell is said on standard error ----

class Said : public Misuse {
 protected:
  std::string expect_said(const std::function<void()>& misuse, const std::string& text) {
    testing::internal::CaptureStderr();
    harmless(misuse);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("weir: ocr: EDT"), std::string::npos) << said;
    EXPECT_NE(said.find(text), std::string::npos) << said;
    return said;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Said, testing::Values(1, 2, 8),
                         [](const testing::TestParamInfo<int>& i) { return std::to_string(i.param); });

TEST_P(Said, OneBlockInSlotsOfDifferentModesIsHadInTheStrongest) {
  const ocrGuid_t data = block(0);
  std::atomic<bool> ran{false};
  expect_said(
      [&] {
        const ocrGuid_t both = edt(2, [&](u32, ocrEdtDep_t* d) {
          EXPECT_EQ(d[0].ptr, d[1].ptr);
          EXPECT_EQ(d[0].mode, DB_MODE_EW);
          EXPECT_EQ(d[1].mode, DB_MODE_EW);
          return ran = true, NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, both, 0, static_cast<ocrDbAccessMode_t>(3)), OCR_EINVAL) << "no such mode";
        EXPECT_EQ(ocrAddDependence(data, both, 0, DB_MODE_RO), 0);
        EXPECT_EQ(ocrAddDependence(data, both, 1, DB_MODE_EW), 0);
        while (!ran) ocrInformLegacyCodeBlocking();
      },
      "has a block in several slots in different modes, and gets it in the strongest");
}

TEST_P(Said, OfAnyTwoModesTheStrongerCounts) {
  constexpr ocrDbAccessMode_t kByStrength[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
  const ocrGuid_t data = block(0);
  std::atomic<int> ran{0};
  const std::string said = expect_said(
      [&] {
        for (u32 strong = 1; strong < 4; ++strong) {
          for (u32 weak = 0; weak < 2 * strong; ++weak) {
            const ocrDbAccessMode_t expected = kByStrength[strong];
            const ocrGuid_t both = edt(2, [&ran, expected](u32, ocrEdtDep_t* d) {
              EXPECT_EQ(d[0].mode, expected);
              EXPECT_EQ(d[1].mode, expected);
              return ++ran, NULL_GUID;
            });
            EXPECT_EQ(ocrAddDependence(data, both, weak % 2, expected), 0);
            EXPECT_EQ(ocrAddDependence(data, both, 1 - weak % 2, kByStrength[weak / 2]), 0);
          }
        }
        while (ran < 12) ocrInformLegacyCodeBlocking();
      },
      "has a block in several slots in different modes, and gets it in the strongest");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "of EDTs of one template it is said once: " << said;
}

TEST_P(Said, AnEdtWhoseBlockIsGoneRunsWithoutIt) {
  std::atomic<bool> ran{false};
  expect_said(
      [&] {
        const ocrGuid_t data = block(0);
        const ocrGuid_t late = edt(2, [&](u32, ocrEdtDep_t* d) {
          EXPECT_EQ(d[0].ptr, nullptr);
          return ran = true, NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, late, 0, DB_MODE_RW), 0);
        EXPECT_EQ(ocrDbDestroy(data), 0);
        EXPECT_EQ(ocrAddDependence(NULL_GUID, late, 1, DB_MODE_NULL), 0);
        while (!ran) ocrInformLegacyCodeBlocking();
      },
      "depends on a data block that was destroyed before it started");
}

TEST_P(Said, AnEdtThatReturnsWhatIsNoneReturnsNothing) {
  for (const auto& [returned, text] : {std::pair(foreign(), "returned what is neither a data block nor an event"),
                                       std::pair(event(OCR_EVENT_ONCE_T), "returned an event that does not exist")}) {
    if (returned != foreign()) {
      EXPECT_EQ(ocrEventDestroy(returned), 0);
    }
    std::atomic<bool> ran{false};
    ocrGuid_t producer = NULL_GUID;
    const std::string said = expect_said(
        [&, of = returned] {
          ocrGuid_t output;
          producer = edt(1, [of](u32, ocrEdtDep_t*) { return of; }, {EDT_PROP_NONE, &output, nullptr, nullptr});
          const ocrGuid_t consumer = edt(1, [&](u32, ocrEdtDep_t* d) {
            EXPECT_EQ(d[0].guid, NULL_GUID);
            return ran = true, NULL_GUID;
          });
          EXPECT_EQ(ocrAddDependence(output, consumer, 0, DB_MODE_RO), 0);
          EXPECT_EQ(ocrAddDependence(NULL_GUID, producer, 0, DB_MODE_NULL), 0);
          while (!ran) ocrInformLegacyCodeBlocking();
        },
        text);
    char number[32];
    SNPRINTF(number, sizeof number, "(" GUIDF ")", GUIDA(producer));
    EXPECT_NE(said.find(number), std::string::npos) << "the EDT that did it is named: " << said;
  }
}

TEST_P(Said, WhatEdtsReturnToAnEventThatIsSatisfiedIsLost) {
  const ocrGuid_t data[2] = {block(1), block(2)};
  ocrGuid_t output = event(OCR_EVENT_STICKY_T);
  testing::internal::CaptureStderr();
  for (const ocrGuid_t each : data) {
    in_edt([&] {
      edt(0, [each](u32, ocrEdtDep_t*) { return each; }, {EDT_PROP_OEVT_VALID, &output, nullptr, nullptr});
    });
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("returned to an event that is satisfied already"), std::string::npos) << said;
  EXPECT_NE(said.find("weir: ocr: EDT"), std::string::npos) << said;
  EXPECT_EQ(wait_for(output), data[0]);
}

TEST_P(Said, WhatADependenceBringsToAChannelThatIsFullIsLost) {
  ocrEventParams_t params;
  params.EVENT_CHANNEL = {1, 1, 1};
  const ocrGuid_t data[2] = {block(1), block(2)};
  testing::internal::CaptureStderr();
  harmless([&] {
    const ocrGuid_t pipe = event(OCR_EVENT_CHANNEL_T, &params);
    for (const ocrGuid_t each : data) {
      const ocrGuid_t source = event(OCR_EVENT_STICKY_T);
      EXPECT_EQ(ocrAddDependence(source, pipe, 0, DB_MODE_RO), 0);
      EXPECT_EQ(ocrEventSatisfy(source, each), 0);
      EXPECT_EQ(ocrEventDestroy(source), 0);
    }
    EXPECT_EQ(ocrWait(pipe), data[0]);
    EXPECT_EQ(ocrEventDestroy(pipe), 0);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("weir: ocr: a dependence leads to an event that is satisfied already, or a channel that is full"),
            std::string::npos)
      << said;
}

TEST_P(Said, AnEventWithoutRoomInDepvIsNothing) {
  ocrEventParams_t params;
  params.EVENT_CHANNEL = {1, 1, 1};
  const ocrGuid_t pipe = event(OCR_EVENT_CHANNEL_T, &params), first = event(OCR_EVENT_STICKY_T);
  ASSERT_EQ(ocrAddDependence(pipe, first, 0, DB_MODE_RO), 0);
  std::atomic<bool> ran{false};
  expect_said(
      [&] {
        const std::vector<ocrGuid_t> depv = {pipe};
        edt(1, [&](u32, ocrEdtDep_t* d) { return ran = d[0].ptr == nullptr, NULL_GUID; },
            {EDT_PROP_NONE, nullptr, nullptr, &depv});
        while (!ran) ocrInformLegacyCodeBlocking();
      },
      "was given an event that is gone, or has no room, in its depv");
  EXPECT_EQ(ocrEventSatisfy(pipe, NULL_GUID), 0) << "for the one that is linked";
  EXPECT_EQ(wait_for(first), NULL_GUID);
}

}  // namespace
}  // namespace ocr_test
