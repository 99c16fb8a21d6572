// SPDX-License-Identifier: Apache-2.0

// Legacy mode, waiting, the runtime interface, and pausing.
#include <cstring>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Legacy);

ocrGuid_t return_first(u32, u64*, u32, ocrEdtDep_t d[]) { return d[0].guid; }

TEST_P(Legacy, SpawnGivesAStickyEventWithTheResult) {
  ocrGuid_t of, handle, data = block(17);
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &return_first, 0, 1), 0);
  ASSERT_EQ(ocrLegacySpawnOCR(&handle, of, 0, nullptr, 1, &data, NULL_GUID), 0);
  ocrGuid_t guid;
  void* result = nullptr;
  u64 size = 0;
  EXPECT_EQ(ocrLegacyBlockProgress(handle, &guid, &result, &size, LEGACY_PROP_NONE), 0);
  EXPECT_EQ(guid, data);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(*static_cast<u64*>(result), 17u);
  EXPECT_EQ(size, sizeof(u64));
  EXPECT_EQ(ocrWait(handle), data);
  EXPECT_EQ(ocrEventDestroy(handle), 0);
}

TEST_P(Legacy, SpawnNeedsATemplateAndAPlaceForItsEvent) {
  ocrGuid_t handle, of, data = block(1);
  ASSERT_EQ(ocrEdtTemplateCreate(&of, &return_first, 0, 1), 0);
  u64 param = 0;
  EXPECT_EQ(ocrLegacySpawnOCR(&handle, of, 1, &param, 1, &data, NULL_GUID), OCR_EINVAL);
  EXPECT_EQ(handle, NULL_GUID) << "no event either";
  EXPECT_EQ(ocrLegacySpawnOCR(&handle, of, 0, nullptr, 2, &data, NULL_GUID), OCR_EINVAL);
  EXPECT_EQ(ocrLegacySpawnOCR(&handle, of, 0, nullptr, 1, nullptr, NULL_GUID), OCR_EPERM) << "nobody has its GUID";
  EXPECT_EQ(handle, NULL_GUID);
  EXPECT_EQ(ocrLegacySpawnOCR(&handle, foreign(), 0, nullptr, 0, nullptr, NULL_GUID), OCR_EINVAL);
  EXPECT_EQ(ocrLegacySpawnOCR(nullptr, foreign(), 0, nullptr, 0, nullptr, NULL_GUID), OCR_EINVAL);
}

TEST_P(Legacy, WaitingForWhatIsNoEventIsAnError) {
  EXPECT_EQ(ocrLegacyBlockProgress(foreign(), nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(ocrLegacyBlockProgress(block(), nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EINVAL);
  EXPECT_EQ(ocrWait(foreign()), ERROR_GUID);
}

TEST_P(Legacy, CheckNeverWaits) {
  const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrLegacyBlockProgress(sticky, nullptr, nullptr, nullptr, LEGACY_PROP_CHECK), OCR_EINVAL);
  ocrEventSatisfy(sticky, NULL_GUID);
  EXPECT_EQ(ocrLegacyBlockProgress(sticky, nullptr, nullptr, nullptr, LEGACY_PROP_CHECK), 0);
}

TEST_P(Legacy, WaitForCreateWaitsForTheEventToExist) {
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  in_edt([&] {
    edt(0, [=](u32, ocrEdtDep_t*) {
      ocrGuid_t guid = label;
      EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
      return ocrEventSatisfy(guid, NULL_GUID), NULL_GUID;
    });
    EXPECT_EQ(ocrLegacyBlockProgress(label, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), 0);
  });
}

TEST_P(Legacy, WaitForCreateDoesNotWaitForWhatNobodyCanCreate) {
  const ocrGuid_t gone = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrEventDestroy(gone), 0);
  for (const ocrGuid_t none : {ocrGuid_t(NULL_GUID), foreign(), gone}) {
    if (are_elsewhere() && none == gone) continue;
    EXPECT_EQ(ocrLegacyBlockProgress(none, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), OCR_EINVAL);
  }
}

TEST_P(Legacy, WaitIfCreatedWaitsForWhatExistsOnly) {
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  const auto wait = [](ocrGuid_t guid) {
    return ocrLegacyBlockProgress(guid, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_IF_CREATED);
  };
  EXPECT_EQ(wait(label), OCR_EINVAL);
  ASSERT_EQ(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
  edt(0, [label](u32, ocrEdtDep_t*) { return ocrEventSatisfy(label, NULL_GUID), NULL_GUID; });
  EXPECT_EQ(wait(label), 0);
}

TEST_P(Legacy, EventsOfOtherTypesCanBeWaitedFor) {
  ocrEventParams_t counted, channel;
  counted.EVENT_COUNTED.nbDeps = 1;
  channel.EVENT_CHANNEL = {1, 1, 1};
  const ocrGuid_t data = block(4);
  for (const ocrGuid_t waited :
       {event(OCR_EVENT_IDEM_T), event(OCR_EVENT_COUNTED_T, &counted), event(OCR_EVENT_CHANNEL_T, &channel)}) {
    edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(waited, data), NULL_GUID; });
    EXPECT_EQ(wait_for(waited), data);
  }
}

TEST_P(Legacy, WhatCannotBeWaitedForIsAnErrorAndNobodyWaits) {
  ocrEventParams_t channel, collective;
  channel.EVENT_CHANNEL = {1, 1, 1};
  collective.EVENT_COLLECTIVE = {1, 2, 2, 1, 2, REDOP_U8_ADD, COL_ALLREDUCE, false};
  const auto wait = [](ocrGuid_t guid, u16 properties = LEGACY_PROP_NONE) {
    return ocrLegacyBlockProgress(guid, nullptr, nullptr, nullptr, properties);
  };
  const ocrGuid_t pipe = event(OCR_EVENT_CHANNEL_T, &channel), first = event(OCR_EVENT_STICKY_T), data = block(1);
  ASSERT_EQ(ocrAddDependence(pipe, first, 0, DB_MODE_RO), 0);
  EXPECT_EQ(wait(pipe), OCR_EPERM) << "another is before it, and there is room for one";
  EXPECT_EQ(ocrWait(pipe), ERROR_GUID);
  EXPECT_EQ(ocrEventSatisfy(pipe, data), 0);
  EXPECT_EQ(wait_for(first), data);
  const ocrGuid_t sum = event(OCR_EVENT_COLLECTIVE_T, &collective);
  EXPECT_EQ(wait(sum), OCR_EINVAL);
  EXPECT_EQ(wait(sum, LEGACY_PROP_CHECK), OCR_EINVAL);
  for (const ocrEventTypes_t type : {OCR_EVENT_ONCE_T, OCR_EVENT_LATCH_T}) {
    const ocrGuid_t gone = event(type);
    EXPECT_EQ(wait(gone, LEGACY_PROP_CHECK), OCR_EINVAL) << "not yet";
    EXPECT_EQ(ocrEventDestroy(gone), 0);
    EXPECT_EQ(wait(gone), OCR_EINVAL);
    EXPECT_EQ(wait(gone, LEGACY_PROP_WAIT_IF_CREATED), OCR_EINVAL);
  }
}

TEST_P(Legacy, WhoWaitsWhenTheProgramEndsIsToldSo) {
  const ocrGuid_t never = event(OCR_EVENT_STICKY_T);
  ocrGuid_t range = NULL_GUID, label = NULL_GUID;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  edt(0, [](u32, ocrEdtDep_t*) { return ocrShutdown(), NULL_GUID; });
  EXPECT_EQ(ocrLegacyBlockProgress(never, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_ECANCELED);
  EXPECT_EQ(ocrLegacyBlockProgress(label, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), OCR_ECANCELED);
  EXPECT_EQ(ocrLegacyBlockProgress(foreign(), nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), OCR_EINVAL);
}

TEST_P(Legacy, AnEdtThatWaitsRunsOthersAndHoldsWhatItGot) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(sticky, block(23)), NULL_GUID; });
    ocrGuid_t guid;
    void* result = nullptr;
    ASSERT_EQ(ocrLegacyBlockProgress(sticky, &guid, &result, nullptr, LEGACY_PROP_NONE), 0);
    seen = *static_cast<u64*>(result);
    EXPECT_EQ(ocrDbRelease(guid), 0);
    EXPECT_EQ(ocrDbRelease(guid), OCR_EACCES);
  });
  EXPECT_EQ(seen, 23u);
}

// Its maker has released it.
ocrGuid_t block_of(u64 bytes, u64 value) {
  ocrGuid_t guid = NULL_GUID;
  void* data = nullptr;
  EXPECT_EQ(ocrDbCreate(&guid, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
  *static_cast<u64*>(data) = value;
  EXPECT_EQ(ocrDbRelease(guid), 0);
  return guid;
}

// For a moment, in which one that does not wait as it should goes on.
void let_others_run(const std::atomic<bool>& until) {
  for (int i = 0; i < 1000 && !until; ++i) EXPECT_EQ(ocrInformLegacyCodeBlocking(), 0);
}

TEST_P(Legacy, AnEdtWaitsForABlockThatAnotherHoldsInAModeThatExcludesIt) {
  for (const u64 bytes : {u64{8}, u64{1} << 20}) {
    for (const ocrDbAccessMode_t mode : {DB_MODE_EW, DB_MODE_CONST}) {
      std::atomic<bool> got{false};
      in_edt([&] {
        const ocrGuid_t data = block_of(bytes, 1), brings = event(OCR_EVENT_STICKY_T);
        const ocrGuid_t holder = edt(1, [=, &got](u32, ocrEdtDep_t* d) {
          EXPECT_EQ(ocrEventSatisfy(brings, data), 0);
          let_others_run(got);
          EXPECT_FALSE(got) << "it has the block while this EDT does";
          if (mode == DB_MODE_EW) *static_cast<u64*>(d[0].ptr) = 2;
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, holder, 0, mode), 0);
        ocrGuid_t guid;
        void* result = nullptr;
        u64 size = 0, again = 0;
        ASSERT_EQ(ocrLegacyBlockProgress(brings, &guid, &result, &size, LEGACY_PROP_NONE), 0);
        got = true;
        EXPECT_EQ(guid, data);
        ASSERT_NE(result, nullptr);
        EXPECT_EQ(*static_cast<u64*>(result), mode == DB_MODE_EW ? 2u : 1u);
        EXPECT_EQ(size, bytes);
        EXPECT_EQ(ocrDbGetSize(guid, &again), 0);
        EXPECT_EQ(again, bytes);
        EXPECT_EQ(ocrDbRelease(guid), 0);
        EXPECT_EQ(ocrDbRelease(guid), OCR_EACCES);
        EXPECT_EQ(ocrDbDestroy(guid), 0);
      });
    }
  }
}

// It may be gone when the other asks for it, but not afterwards.
TEST_P(Legacy, ABlockThatAnEdtWaitsForStaysWhenItsHolderDestroysIt) {
  std::atomic<bool> got{false};
  in_edt([&] {
    const ocrGuid_t data = block_of(8, 5), brings = event(OCR_EVENT_STICKY_T);
    const ocrGuid_t holder = edt(1, [=, &got](u32, ocrEdtDep_t*) {
      EXPECT_EQ(ocrEventSatisfy(brings, data), 0);
      let_others_run(got);
      EXPECT_FALSE(got);
      EXPECT_EQ(ocrDbDestroy(data), 0);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_CONST), 0);
    void* result = nullptr;
    ASSERT_EQ(ocrLegacyBlockProgress(brings, nullptr, &result, nullptr, LEGACY_PROP_NONE), 0);
    got = true;
    if (result == nullptr) return;
    for (int i = 0; i < 100; ++i) block_of(8, 7);
    EXPECT_EQ(*static_cast<u64*>(result), 5u);
    EXPECT_EQ(ocrDbRelease(data), 0);
  });
}

TEST_P(Legacy, SeveralEdtsAndItsMakerHoldABlockThatAnEventBrings) {
  for (const u64 bytes : {u64{8}, u64{1} << 20}) {
    std::atomic<int> holders{0};
    in_edt([&] {
      const ocrGuid_t brings = event(OCR_EVENT_STICKY_T), all_have_it = event(OCR_EVENT_STICKY_T);
      ocrGuid_t data = NULL_GUID;
      void* made = nullptr;
      ASSERT_EQ(ocrDbCreate(&data, &made, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      *static_cast<u64*>(made) = 9;
      for (int i = 0; i < 3; ++i) {
        edt(0, [=, &holders](u32, ocrEdtDep_t*) {
          void* result = nullptr;
          u64 size = 0;
          EXPECT_EQ(ocrLegacyBlockProgress(brings, nullptr, &result, nullptr, LEGACY_PROP_NONE), 0);
          if (++holders == 3) {
            EXPECT_EQ(ocrEventSatisfy(all_have_it, NULL_GUID), 0);
          }
          EXPECT_EQ(ocrLegacyBlockProgress(all_have_it, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
          EXPECT_EQ(result, made);
          EXPECT_EQ(ocrDbGetSize(data, &size), 0);
          EXPECT_EQ(size, bytes);
          if (i == 0) return NULL_GUID;  // its end releases it
          EXPECT_EQ(ocrDbRelease(data), 0);
          return NULL_GUID;
        });
      }
      EXPECT_EQ(ocrEventSatisfy(brings, data), 0);
      EXPECT_EQ(ocrLegacyBlockProgress(all_have_it, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(ocrDbRelease(data), 0);
      const ocrGuid_t last = edt(1, [](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(*static_cast<u64*>(d[0].ptr), 9u);
        EXPECT_EQ(ocrDbDestroy(d[0].guid), 0);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(data, last, 0, DB_MODE_EW), 0) << "when all have released it";
    });
  }
}

TEST_P(Legacy, ParseArgsTakesOutWhatIsForOcr) {
  const char* argv[] = {"program", "-ocr:cfg", "some.cfg", "one", "two"};
  ocrConfig_t config;
  ocrParseArgs(5, argv, &config);
  ASSERT_EQ(config.userArgc, 3);
  EXPECT_STREQ(config.userArgv[0], "program");
  EXPECT_STREQ(config.userArgv[2], "two");
  EXPECT_EQ(config.userArgv[3], nullptr);
  EXPECT_STREQ(config.iniFile, "some.cfg");
}

TEST_P(Legacy, FinalizeNeedsItsContext) { EXPECT_EQ(ocrLegacyFinalize(foreign(), false), OCR_EINVAL); }

TEST(LegacyMain, AnEdtDoesNotEndOcr) {
  setenv("WEIR_WORKERS", "2", 1);
  ocrGuid_t context;
  ocrLegacyInit(&context, nullptr);
  ocrGuid_t done = event(OCR_EVENT_STICKY_T);
  u8 code = 0;
  edt(0, [&](u32, ocrEdtDep_t*) { return code = ocrLegacyFinalize(context, false), NULL_GUID; },
      {EDT_PROP_OEVT_VALID, &done, nullptr, nullptr});
  EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  EXPECT_EQ(code, OCR_EPERM);
  EXPECT_EQ(ocrLegacyFinalize(context, false), 0);
  forget_bodies();
}

TEST_P(Legacy, OutsideOfEdtsThereIsNoCurrentEdt) {
  ocrGuid_t guid = foreign();
  EXPECT_EQ(ocrCurrentEdtGet(&guid), 0);
  EXPECT_EQ(guid, NULL_GUID);
  EXPECT_EQ(ocrCurrentEdtOutputGet(&guid), 0);
  EXPECT_EQ(guid, NULL_GUID);
  EXPECT_EQ(ocrCurrentEdtGet(nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrCurrentEdtOutputGet(nullptr), OCR_EINVAL);
  ocrElsUserSet(0, block());
  void* storage;
  u64 size;
  EXPECT_EQ(ocrEdtLocalStorageGet(&storage, &size), OCR_EINVAL);
  EXPECT_EQ(ocrElsUserGet(0), NULL_GUID);
}

TEST_P(Legacy, AnEdtKnowsItselfItsOutputAndItsStorage) {
  in_edt([&] {
    ocrGuid_t output;
    auto made = std::make_shared<ocrGuid_t>();
    const ocrGuid_t out_of_it = NULL_GUID;
    *made = edt(1,
                [=, &output](u32, ocrEdtDep_t*) {
                  ocrGuid_t self, its_output;
                  EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
                  EXPECT_EQ(ocrCurrentEdtOutputGet(&its_output), 0);
                  EXPECT_EQ(self, *made);
                  EXPECT_EQ(its_output, output);
                  EXPECT_EQ(ocrElsUserGet(5), out_of_it);
                  ocrElsUserSet(5, self);
                  EXPECT_EQ(ocrElsUserGet(5), self);
                  EXPECT_EQ(ocrElsUserGet(255), NULL_GUID);
                  void* storage;
                  u64 size = 0;
                  EXPECT_EQ(ocrEdtLocalStorageGet(&storage, &size), 0);
                  EXPECT_EQ(static_cast<ocrGuid_t*>(storage)[5], self);
                  EXPECT_EQ(size, 256 * sizeof(ocrGuid_t));
                  return NULL_GUID;
                },
                {EDT_PROP_NONE, &output, nullptr, nullptr});
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrAddDependence(output, done, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, *made, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  });
}

TEST_P(Legacy, WorkersAreCountedAndTold) {
  EXPECT_EQ(ocrNbWorkers(), static_cast<u64>(GetParam()));
  in_edt([] {
    ocrGuid_t worker;
    ocrCurrentWorkerGuid(&worker);
    EXPECT_NE(worker, NULL_GUID);
  });
}

TEST_P(Legacy, ABlockedEdtLetsOthersRun) {
  in_edt([] {
    auto ran = std::make_shared<std::atomic<bool>>(false);
    edt(0, [ran](u32, ocrEdtDep_t*) { return *ran = true, NULL_GUID; });
    while (!*ran) EXPECT_EQ(ocrInformLegacyCodeBlocking(), 0);
  });
}

TEST_P(Legacy, WhilePausedNoOtherEdtRunsAndTheProgramCanBeLookedAt) {
  std::atomic<int> ran{0};
  in_edt([&] {
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), data = block(1);
    const ocrGuid_t waiting = edt(2, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
    ocrAddDependence(data, waiting, 0, DB_MODE_RO);
    ocrAddDependence(sticky, waiting, 1, DB_MODE_RO);
    const u32 paused = ocrPause(true);
    ASSERT_EQ(paused, 1u);
    EXPECT_EQ(ocrPause(true), 0u) << "it has paused already";
    for (int i = 0; i < 3; ++i) edt(0, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; });
    void* result = nullptr;
    u32 size = 0;
    ocrGuid_t found = ocrQuery(OCR_QUERY_READY_EDTS, NULL_GUID, &result, &size, 0);
    EXPECT_EQ(size, 3 * sizeof(ocrGuid_t));
    EXPECT_EQ(ocrDbDestroy(found), 0);
    found = ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &result, &size, 0);
    EXPECT_GE(size, 5 * sizeof(ocrGuid_t)) << "the caller and the one that waits, too";
    found = ocrQuery(OCR_QUERY_EVENTS, NULL_GUID, &result, &size, 0);
    EXPECT_GE(size, sizeof(ocrGuid_t));
    found = ocrQuery(OCR_QUERY_LAST_SATISFIED_DB, waiting, &result, &size, 0);
    ASSERT_EQ(size, sizeof(ocrGuid_t));
    EXPECT_EQ(static_cast<ocrGuid_t*>(result)[0], data);
    EXPECT_EQ(ran, 0);
    ocrResume(paused);
    EXPECT_EQ(ocrQuery(OCR_QUERY_EVENTS, NULL_GUID, &result, &size, 0), NULL_GUID);
    ocrEventSatisfy(sticky, NULL_GUID);
    ocrInjectFault();
  });
  EXPECT_EQ(ran, 3);
}

TEST_P(Legacy, SeveralEdtsPauseOneAfterTheOther) {
  std::atomic<int> paused{0};
  in_edt([&] {
    for (int i = 0; i < 20; ++i) {
      edt(0, [&](u32, ocrEdtDep_t*) {
        const u32 flag = ocrPause(true);
        paused += static_cast<int>(flag);
        ocrResume(flag);
        return NULL_GUID;
      });
    }
  });
  EXPECT_EQ(paused, 20);
}

TEST_P(Legacy, AfterAnEdtThatReturnsPausedOthersBeginAndItIsNamed) {
  std::atomic<int> ran{0};
  testing::internal::CaptureStderr();
  in_edt([&] {
    edt(0, [](u32, ocrEdtDep_t*) {
      EXPECT_EQ(ocrPause(true), 1u);
      return NULL_GUID;
    });
    for (int i = 0; i < 3; ++i) edt(0, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; });
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(ran, 3);
  EXPECT_NE(said.find("weir: ocr: EDT "), std::string::npos) << said;
  EXPECT_NE(said.find("has returned without ocrResume()"), std::string::npos) << said;
}

// What hangs on EDTs that have not ended is given back with the program: LeakSanitizer sees it.
TEST_P(Legacy, WhatAProgramLeavesBehindIsGivenBack) {
  ocrHint_t urgent;
  ocrHintInit(&urgent, OCR_HINT_EDT_T);
  ocrSetHintValue(&urgent, OCR_HINT_EDT_PRIORITY, 1);
  const ocrGuid_t never = event(OCR_EVENT_STICKY_T), deep = event(OCR_EVENT_STICKY_T);
  const EdtOptions finish{EDT_PROP_FINISH, nullptr, &urgent, nullptr};
  edt(
      0,
      [=](u32, ocrEdtDep_t*) {
        ocrElsUserSet(1, never);
        edt(
            0,
            [=](u32, ocrEdtDep_t*) {
              const ocrGuid_t waiting = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
              EXPECT_EQ(ocrAddDependence(never, waiting, 0, DB_MODE_NULL), 0);
              return ocrEventSatisfy(deep, NULL_GUID), NULL_GUID;
            },
            finish);
        return NULL_GUID;
      },
      finish);
  const ocrGuid_t destroyed =
      edt(300, [](u32, ocrEdtDep_t*) { return NULL_GUID; }, {EDT_PROP_NONE, nullptr, finish.hint, nullptr});
  EXPECT_EQ(ocrAddDependence(never, destroyed, 0, DB_MODE_NULL), 0);
  EXPECT_EQ(ocrEdtDestroy(destroyed), 0);
  wait_for(deep);
}

TEST_P(Legacy, VersionsAreReadFromTexts) {
  u8 text[] = "12.34.56";
  EXPECT_EQ(ocrVersionExtractMajor(text), 12u);
  EXPECT_EQ(ocrVersionExtractMinor(text), 34u);
  EXPECT_EQ(ocrVersionExtractPatch(text), 56u);
  EXPECT_NE(ocrVersionExtensionBitmap() & OCR_VERSION_LABELING_BIT, 0u);
}

TEST_P(Legacy, PrintsAreFormattedAndOfAnyLength) {
  char small[8];
  EXPECT_EQ(SNPRINTF(small, sizeof small, "%d-%s", 12, "abcdefgh"), 11u);
  EXPECT_STREQ(small, "12-abcd");
  testing::internal::CaptureStdout();
  const std::string text(5000, 'x');
  EXPECT_EQ(ocrPrintf("%s\n", text.c_str()), 5001u);
  EXPECT_EQ(PRINTF("%d\n", 3), 2u);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), text + "\n3\n");
}

}  // namespace

// Without a program.
TEST(WithoutProgram, FunctionsSayThatNothingRuns) {
  ocrGuid_t guid;
  void* data;
  u64 count = 0;
  ocrHint_t hint;
  ocrEventParams_t params;
  ocrGuidUserKind kind;
  params.EVENT_LATCH.counter = 1;
  EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0) << "hints are the caller's own";
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_NONE), OCR_EPERM);
  EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), OCR_EPERM);
  EXPECT_EQ(guid, NULL_GUID);
  EXPECT_EQ(ocrEventDestroy(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrEventSatisfy(foreign(), NULL_GUID), OCR_EPERM);
  EXPECT_EQ(ocrEventSatisfySlot(foreign(), NULL_GUID, 0), OCR_EPERM);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(foreign(), &count, 0), OCR_EPERM);
  EXPECT_EQ(ocrDbCreate(&guid, &data, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), OCR_EPERM);
  EXPECT_EQ(ocrDbRelease(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrDbDestroy(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrDbGetSize(foreign(), &count), OCR_EPERM);
  EXPECT_EQ(ocrDbMalloc(foreign(), 8, &data), OCR_EPERM);
  EXPECT_EQ(ocrDbMallocOffset(foreign(), 8, &count), OCR_EPERM);
  EXPECT_EQ(ocrDbFree(foreign(), &guid), OCR_EPERM);
  EXPECT_EQ(ocrDbFreeOffset(foreign(), 0), OCR_EPERM);
  EXPECT_EQ(ocrDbCopy(foreign(), 0, foreign(), 0, 8, 0, nullptr), OCR_EPERM);
  EXPECT_EQ(ocrEdtTemplateCreate(&guid, &return_first, 0, 1), OCR_EPERM);
  EXPECT_EQ(ocrEdtTemplateDestroy(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrEdtCreate(&guid, foreign(), 0, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EPERM);
  EXPECT_EQ(ocrEdtDestroy(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrAddDependence(foreign(), foreign(), 0, DB_MODE_RO), OCR_EPERM);
  EXPECT_EQ(ocrAddDependenceSlot(foreign(), 0, foreign(), 0, DB_MODE_RO), OCR_EPERM);
  EXPECT_EQ(ocrSetHint(foreign(), &hint), OCR_EPERM);
  EXPECT_EQ(ocrGetHint(foreign(), &hint), OCR_EPERM);
  EXPECT_EQ(ocrAffinityCount(AFFINITY_PD, &count), OCR_EPERM);
  EXPECT_EQ(ocrAffinityGet(AFFINITY_PD, &count, &guid), OCR_EPERM);
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &guid), OCR_EPERM);
  EXPECT_EQ(ocrAffinityGetCurrent(&guid), OCR_EPERM);
  EXPECT_EQ(ocrAffinityQuery(foreign(), nullptr, &guid), OCR_EPERM);
  EXPECT_EQ(ocrGuidRangeCreate(&guid, 1, GUID_USER_DB), OCR_EPERM);
  EXPECT_EQ(ocrGuidFromIndex(&guid, foreign(), 0), OCR_EPERM);
  EXPECT_EQ(ocrGuidMapDestroy(foreign()), OCR_EPERM);
  EXPECT_EQ(ocrGetGuidKind(&kind, foreign()), OCR_EPERM);
  EXPECT_EQ(ocrLegacySpawnOCR(&guid, foreign(), 0, nullptr, 0, nullptr, NULL_GUID), OCR_EPERM);
  EXPECT_EQ(ocrLegacyBlockProgress(foreign(), nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EPERM);
  EXPECT_EQ(ocrLegacyFinalize(foreign(), false), OCR_EINVAL);
  EXPECT_FALSE(ocrLegacyIsChannelReady(foreign()));
  EXPECT_EQ(ocrWait(foreign()), ERROR_GUID);
  EXPECT_EQ(ocrInformLegacyCodeBlocking(), OCR_EPERM);
  EXPECT_EQ(ocrPause(true), 0u);
  EXPECT_EQ(ocrQuery(OCR_QUERY_EVENTS, NULL_GUID, nullptr, nullptr, 0), NULL_GUID);
  ocrResume(1);
  ocrCurrentWorkerGuid(&guid);
  EXPECT_EQ(guid, NULL_GUID);
  EXPECT_EQ(ocrNbWorkers(), 0u);
  ocrShutdown();
}

}  // namespace ocr_test
