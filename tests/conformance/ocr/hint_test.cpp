// SPDX-License-Identifier: Apache-2.0

// Hints and affinities.
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Hint);

ocrHint_t hint_of(ocrHintType_t type) {
  ocrHint_t hint;
  EXPECT_EQ(ocrHintInit(&hint, type), 0);
  return hint;
}

TEST_P(Hint, ValuesAreSetReadAndUnset) {
  ocrHint_t hint = hint_of(OCR_HINT_EDT_T);
  u64 value = 0;
  EXPECT_EQ(ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value), OCR_ENOENT);
  EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 7), 0);
  EXPECT_EQ(ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value), 0);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(ocrUnsetHintValue(&hint, OCR_HINT_EDT_PRIORITY), 0);
  EXPECT_EQ(ocrUnsetHintValue(&hint, OCR_HINT_EDT_PRIORITY), OCR_ENOENT);
  EXPECT_EQ(ocrHintSetValue(&hint, OCR_HINT_EDT_SPACE, 1), 0);
  EXPECT_EQ(ocrHintGetValue(&hint, OCR_HINT_EDT_SPACE, &value), 0);
  EXPECT_EQ(ocrHintUnsetValue(&hint, OCR_HINT_EDT_SPACE), 0);
}

TEST_P(Hint, APropertyOfAnotherTypeIsAnError) {
  ocrHint_t hint = hint_of(OCR_HINT_DB_T);
  u64 value = 0;
  EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 7), OCR_EINVAL);
  EXPECT_EQ(ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &value), OCR_EINVAL);
  EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_DB_PROP_END, 7), OCR_EINVAL);
  EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_UNDEF_T), OCR_EINVAL);
  EXPECT_EQ(ocrHintInit(nullptr, OCR_HINT_DB_T), OCR_EINVAL);
}

TEST_P(Hint, BitsOfAMaskThatMeanNothingAreIgnored) {
  for (const ocrHintType_t type : {OCR_HINT_DB_T, OCR_HINT_EDT_T}) {
    const ocrGuid_t task = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
    const ocrGuid_t object = type == OCR_HINT_DB_T ? block() : task;
    ocrHint_t all = hint_of(type), read;
    const auto first = static_cast<u64>(type == OCR_HINT_DB_T ? OCR_HINT_DB_PROP_START : OCR_HINT_EDT_PROP_START);
    const auto end = static_cast<u64>(type == OCR_HINT_DB_T ? OCR_HINT_DB_PROP_END : OCR_HINT_EDT_PROP_END);
    for (u64 property = first + 1; property < end; ++property)
      ASSERT_EQ(ocrSetHintValue(&all, static_cast<ocrHintProp_t>(property), 0), 0);
    const u64 mask = all.propMask;
    all.propMask = ~u64{0};
    EXPECT_EQ(ocrSetHint(object, &all), 0);
    EXPECT_EQ(ocrGetHint(object, &read), 0);
    EXPECT_EQ(read.propMask, mask);
    EXPECT_EQ(ocrEdtDestroy(task), 0);
  }
}

TEST_P(Hint, ObjectsKeepTheirHints) {
  ocrHint_t for_edt = hint_of(OCR_HINT_EDT_T), for_block = hint_of(OCR_HINT_DB_T), read;
  ocrSetHintValue(&for_edt, OCR_HINT_EDT_SLOT_MAX_ACCESS, 3);
  ocrSetHintValue(&for_block, OCR_HINT_DB_HIGHBW, 1);
  const ocrGuid_t task = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; }), data = block();
  u64 value = 0;
  EXPECT_EQ(ocrSetHint(task, &for_edt), 0);
  EXPECT_EQ(ocrGetHint(task, &read), 0);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SLOT_MAX_ACCESS, &value), 0);
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(ocrSetHint(data, &for_block), 0);
  EXPECT_EQ(ocrGetHint(data, &read), 0);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_DB_HIGHBW, &value), 0);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_DB_FAR, &value), OCR_ENOENT);
  EXPECT_EQ(ocrSetHint(data, &for_edt), OCR_EINVAL);
  EXPECT_EQ(ocrSetHint(task, &for_block), OCR_EINVAL);
  EXPECT_EQ(ocrSetHint(foreign(), &for_edt), OCR_EINVAL);
  EXPECT_EQ(ocrGetHint(foreign(), &read), OCR_EINVAL);
  EXPECT_EQ(ocrEdtDestroy(task), 0);
}

TEST_P(Hint, WhatWasMadeForNoHintsRefusesThem) {
  ocrHint_t for_block = hint_of(OCR_HINT_DB_T);
  ocrGuid_t data;
  void* pointer;
  ASSERT_EQ(ocrDbCreate(&data, &pointer, 8, DB_PROP_NO_HINT, NULL_HINT, NO_ALLOC), 0);
  EXPECT_EQ(ocrSetHint(data, &for_block), OCR_EPERM);
}

TEST_P(Hint, AnEdtMadeForNoHintsRefusesThem) {
  ocrHint_t for_edt = hint_of(OCR_HINT_EDT_T);
  const ocrGuid_t task = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; },
                             {EDT_PROP_NO_HINT | EDT_PROP_LONG, nullptr, nullptr, nullptr});
  EXPECT_EQ(ocrSetHint(task, &for_edt), OCR_EPERM);
  EXPECT_EQ(ocrEdtDestroy(task), 0);
}

TEST_P(Hint, WhatAnObjectWasMadeWithIsThere) {
  ocrHint_t for_block = hint_of(OCR_HINT_DB_T), for_edt = hint_of(OCR_HINT_EDT_T), read;
  ocrSetHintValue(&for_block, OCR_HINT_DB_LAZY, 1);
  ocrSetHintValue(&for_edt, OCR_HINT_EDT_SPAWNING, 12);
  ocrGuid_t data;
  void* pointer;
  u64 value = 0;
  ASSERT_EQ(ocrDbCreate(&data, &pointer, 8, DB_PROP_NONE, &for_block, NO_ALLOC), 0);
  EXPECT_EQ(ocrGetHint(data, &read), 0);
  EXPECT_EQ(read.type, OCR_HINT_DB_T);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_DB_LAZY, &value), 0);
  EXPECT_EQ(value, 1u);
  const ocrGuid_t task =
      edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; }, {EDT_PROP_NONE, nullptr, &for_edt, nullptr});
  EXPECT_EQ(ocrGetHint(task, &read), 0);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SPAWNING, &value), 0);
  EXPECT_EQ(value, 12u);
  EXPECT_EQ(ocrEdtDestroy(task), 0);
}

TEST_P(Hint, EventsAndGroupsHaveATypeAndNoProperties) {
  ocrHint_t for_event = hint_of(OCR_HINT_EVT_T), for_group = hint_of(OCR_HINT_GROUP_T), read = hint_of(OCR_HINT_DB_T);
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrSetHintValue(&for_event, OCR_HINT_EDT_PRIORITY, 1), OCR_EINVAL);
  EXPECT_EQ(ocrSetHintValue(&for_group, OCR_HINT_DB_FAR, 1), OCR_EINVAL);
  EXPECT_EQ(ocrSetHint(sticky, &for_event), 0);
  EXPECT_EQ(ocrSetHint(sticky, &for_group), OCR_EINVAL);
  EXPECT_EQ(ocrGetHint(sticky, &read), 0);
  EXPECT_EQ(read.type, OCR_HINT_EVT_T);
  EXPECT_EQ(read.propMask, 0u);
}

ocrGuid_t nothing(u32, u64*, u32, ocrEdtDep_t*) { return NULL_GUID; }

TEST_P(Hint, ATemplateGivesItsHintsToItsEdts) {
  ocrHint_t hint = hint_of(OCR_HINT_EDT_T), read;
  ocrSetHintValue(&hint, OCR_HINT_EDT_DISPERSE, OCR_HINT_EDT_DISPERSE_NEAR);
  ocrGuid_t of, made;
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &nothing, 0, 1), 0);
  ASSERT_EQ(ocrSetHint(of, &hint), 0);
  ASSERT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
  u64 value = 9;
  EXPECT_EQ(ocrGetHint(made, &read), 0);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_DISPERSE, &value), 0);
  EXPECT_EQ(value, u64{OCR_HINT_EDT_DISPERSE_NEAR});
  EXPECT_EQ(ocrEdtDestroy(made), 0);
}

TEST_P(Hint, ATemplateKeepsWhatIsSetOneByOne) {
  ocrHint_t first = hint_of(OCR_HINT_EDT_T), second = hint_of(OCR_HINT_EDT_T), for_block = hint_of(OCR_HINT_DB_T), read;
  ocrSetHintValue(&first, OCR_HINT_EDT_SPACE, 1);
  ocrSetHintValue(&second, OCR_HINT_EDT_TIME, 2);
  ocrGuid_t of;
  u64 value = 0;
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &nothing, 0, 1), 0);
  EXPECT_EQ(ocrGetHint(of, &read), 0);
  EXPECT_EQ(read.propMask, 0u);
  EXPECT_EQ(ocrSetHint(of, &first), 0);
  EXPECT_EQ(ocrSetHint(of, &second), 0);
  EXPECT_EQ(ocrSetHint(of, &for_block), OCR_EINVAL);
  EXPECT_EQ(ocrGetHint(of, &read), 0);
  EXPECT_EQ(read.type, OCR_HINT_EDT_T);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SPACE, &value), 0);
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_TIME, &value), 0);
  EXPECT_EQ(value, 2u);
  EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_TIME, nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrGetHint(of, nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  EXPECT_EQ(ocrGetHint(of, &read), OCR_EINVAL);
}

// What it was given stays whole: both values of each EDT are of one ocrSetHint().
TEST_P(Hint, ATemplateMayBeGivenHintsWhileOthersCreateFromIt) {
  constexpr int kMakers = 4, kEdts = 1000;
  ocrGuid_t of;
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &nothing, 0, 1), 0);
  std::atomic<int> makers{kMakers};
  std::atomic<u64> hinted{0};
  in_edt([&] {
    for (int maker = 0; maker < kMakers; ++maker) {
      edt(0, [&](u32, ocrEdtDep_t*) {
        for (int i = 0; i < kEdts; ++i) {
          ocrGuid_t made;
          ocrHint_t read;
          u64 time = 0, space = 0;
          EXPECT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
          EXPECT_EQ(ocrGetHint(made, &read), 0);
          const u8 code = ocrGetHintValue(&read, OCR_HINT_EDT_TIME, &time);
          EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SPACE, &space), code);
          EXPECT_EQ(time, space);
          hinted += code == 0 ? 1 : 0;
          EXPECT_EQ(ocrEdtDestroy(made), 0);
        }
        return --makers, NULL_GUID;
      });
    }
    edt(0, [&](u32, ocrEdtDep_t*) {
      u64 value = 0;
      do {
        ocrHint_t hint = hint_of(OCR_HINT_EDT_T);
        ocrSetHintValue(&hint, OCR_HINT_EDT_TIME, ++value);
        ocrSetHintValue(&hint, OCR_HINT_EDT_SPACE, value);
        EXPECT_EQ(ocrSetHint(of, &hint), 0);
        ocrInformLegacyCodeBlocking();
      } while (makers != 0);
      return NULL_GUID;
    });
  });
  ocrGuid_t last;
  ocrHint_t read;
  ASSERT_EQ(ocrEdtCreate(&last, of, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
  EXPECT_EQ(ocrGetHint(last, &read), 0);
  EXPECT_NE(read.propMask, 0u);
  EXPECT_EQ(ocrEdtDestroy(last), 0);
  EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
}

// It counts no more, and may still be read.
TEST_P(Hint, ARunningEdtMayBeGivenHints) {
  in_edt([&] {
    ocrHint_t hint = hint_of(OCR_HINT_EDT_T), read;
    ocrGuid_t self;
    u64 value = 0;
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 4);
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    EXPECT_EQ(ocrSetHint(self, &hint), 0);
    EXPECT_EQ(ocrGetHint(self, &read), 0);
    EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_PRIORITY, &value), 0);
    EXPECT_EQ(value, 4u);
  });
}

TEST_P(Hint, HintsChangeNoResult) {
  std::atomic<int> ran{0};
  in_edt([&] {
    for (int property = OCR_HINT_EDT_PROP_START + 1; property < OCR_HINT_EDT_PROP_END; ++property) {
      ocrHint_t hint = hint_of(OCR_HINT_EDT_T);
      EXPECT_EQ(ocrSetHintValue(&hint, static_cast<ocrHintProp_t>(property), 1), 0);
      edt(0, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; }, {EDT_PROP_NONE, nullptr, &hint, nullptr});
    }
  });
  EXPECT_EQ(ran, OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1);
}

TEST_P(Hint, ThereIsAnAffinityAndEverythingHasOne) {
  u64 count = 0;
  ASSERT_EQ(ocrAffinityCount(AFFINITY_PD, &count), 0);
  ASSERT_GE(count, 1u);
  std::vector<ocrGuid_t> all(count + 3);
  u64 asked = count + 3;
  EXPECT_EQ(ocrAffinityGet(AFFINITY_PD, &asked, all.data()), 0);
  EXPECT_EQ(asked, count);
  ocrGuid_t one, current;
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &one), 0);
  EXPECT_EQ(one, all[0]);
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, count, &one), OCR_EINVAL);
  EXPECT_EQ(ocrAffinityGetCurrent(&current), 0);
  EXPECT_NE(current, NULL_GUID);
  for (const ocrGuid_t guid : {block(), event(OCR_EVENT_ONCE_T), current, NULL_GUID}) {
    u64 room = 1;
    EXPECT_EQ(ocrAffinityQuery(guid, &room, &one), 0);
    EXPECT_EQ(room, 1u);
    EXPECT_NE(one, NULL_GUID);
  }
  EXPECT_EQ(ocrAffinityQuery(current, nullptr, &one), 0);
  EXPECT_EQ(ocrAffinityCount(AFFINITY_SIM, &count), OCR_EINVAL);
  EXPECT_EQ(ocrAffinityCount(AFFINITY_PD, nullptr), OCR_EINVAL);
}

TEST_P(Hint, EachKindOfAffinityHasItsCount) {
  ocrGuid_t current, all;
  ASSERT_EQ(ocrAffinityGetCurrent(&current), 0);
  ASSERT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &all), 0);
  for (const ocrAffinityKind kind : {AFFINITY_CURRENT, AFFINITY_GUID, AFFINITY_PD_MASTER}) {
    u64 count = 0, room = 5;
    ocrGuid_t some[5];
    EXPECT_EQ(ocrAffinityCount(kind, &count), 0);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(ocrAffinityGet(kind, &room, some), 0);
    EXPECT_EQ(room, 1u);
    EXPECT_EQ(some[0], kind == AFFINITY_PD_MASTER ? all : current);
    EXPECT_EQ(ocrAffinityGetAt(kind, 1, some), OCR_EINVAL);
    EXPECT_EQ(ocrAffinityGetAt(kind, 0, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrAffinityGet(kind, nullptr, some), OCR_EINVAL);
    EXPECT_EQ(ocrAffinityGet(kind, &room, nullptr), OCR_EINVAL);
  }
  u64 none = 0;
  EXPECT_EQ(ocrAffinityQuery(current, &none, &all), 0) << "no room for any";
  EXPECT_EQ(ocrAffinityQuery(current, &none, nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrAffinityGetCurrent(nullptr), OCR_EINVAL);
}

// The first value is that of a domain that no machine here has.
TEST_P(Hint, AnAffinityThatDoesNotExistIsIgnored) {
  ocrGuid_t current, affinity, where;
  ASSERT_EQ(ocrAffinityGetCurrent(&current), 0);
  ASSERT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &affinity), 0);
  for (const u64 value : {ocrAffinityToHintValue(affinity) + 1000, u64{12345}, ~u64{0}, u64{0}}) {
    ocrHint_t for_edt = hint_of(OCR_HINT_EDT_T), for_block = hint_of(OCR_HINT_DB_T);
    ocrSetHintValue(&for_edt, OCR_HINT_EDT_AFFINITY, value);
    ocrSetHintValue(&for_block, OCR_HINT_DB_AFFINITY, value);
    ocrGuid_t data;
    void* pointer;
    ASSERT_EQ(ocrDbCreate(&data, &pointer, 8, DB_PROP_NONE, &for_block, NO_ALLOC), 0);
    std::atomic<bool> ran{false};
    in_edt([&] {
      const ocrGuid_t placed =
          edt(1, [&](u32, ocrEdtDep_t*) { return ran = true, NULL_GUID; }, {EDT_PROP_NONE, nullptr, &for_edt, nullptr});
      ocrGuid_t here;
      ASSERT_EQ(ocrAffinityGetCurrent(&here), 0);
      EXPECT_EQ(ocrAffinityQuery(placed, nullptr, &where), 0);
      EXPECT_EQ(where, here);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, placed, 0, DB_MODE_NULL), 0);
    });
    EXPECT_TRUE(ran);
    for (const ocrGuid_t guid : {data, foreign(static_cast<std::intptr_t>(value))}) {
      EXPECT_EQ(ocrAffinityQuery(guid, nullptr, &where), 0);
      EXPECT_EQ(where, current);
    }
  }
}

TEST_P(Hint, AnEdtHasTheAffinityThatItWasGivenUntilItHasEnded) {
  ocrGuid_t affinity, where;
  ASSERT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &affinity), 0);
  ocrHint_t hint = hint_of(OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
  const ocrGuid_t task = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  EXPECT_EQ(ocrSetHint(task, &hint), 0);
  EXPECT_EQ(ocrAffinityQuery(task, nullptr, &where), 0);
  EXPECT_EQ(where, affinity);
  EXPECT_EQ(ocrEdtDestroy(task), 0);
  EXPECT_EQ(ocrAffinityQuery(task, nullptr, &where), 0) << "of what is gone, where the caller is";
}

TEST_P(Hint, AnAffinityPlacesEdtsAndBlocks) {
  ocrGuid_t affinity, where;
  ASSERT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &affinity), 0);
  ocrHint_t for_edt = hint_of(OCR_HINT_EDT_T), for_block = hint_of(OCR_HINT_DB_T);
  ocrSetHintValue(&for_edt, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
  ocrSetHintValue(&for_block, OCR_HINT_DB_AFFINITY, ocrAffinityToHintValue(affinity));
  ocrGuid_t data;
  void* pointer;
  u64 room = 1;
  ASSERT_EQ(ocrDbCreate(&data, &pointer, 8, DB_PROP_NONE, &for_block, NO_ALLOC), 0);
  EXPECT_EQ(ocrAffinityQuery(data, &room, &where), 0);
  EXPECT_EQ(where, affinity);
  std::atomic<bool> there{false};
  in_edt([&] {
    edt(0,
        [&](u32, ocrEdtDep_t*) {
          ocrGuid_t current;
          ocrAffinityGetCurrent(&current);
          return there = current == affinity, NULL_GUID;
        },
        {EDT_PROP_NONE, nullptr, &for_edt, nullptr});
  });
  EXPECT_TRUE(there);
}

}  // namespace
}  // namespace ocr_test
