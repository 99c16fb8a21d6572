// SPDX-License-Identifier: Apache-2.0

// Templates and EDTs: what is asked of ocrEdtTemplateCreate(), ocrEdtCreate(), ocrEdtDestroy(), output events and
// finish EDTs.
#include <algorithm>
#include <numeric>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Edt);

ocrGuid_t nothing(u32, u64*, u32, ocrEdtDep_t*) { return NULL_GUID; }

ocrGuid_t template_of(u32 paramc, u32 depc) {
  ocrGuid_t guid = NULL_GUID;
  EXPECT_EQ(ocrEdtTemplateCreate(&guid, &nothing, paramc, depc), 0);
  return guid;
}

u8 create(ocrGuid_t of, u32 paramc, u64* paramv, u32 depc, ocrGuid_t* depv = nullptr, u16 properties = 0) {
  ocrGuid_t made;
  return ocrEdtCreate(&made, of, paramc, paramv, depc, depv, properties, NULL_HINT, nullptr);
}

TEST_P(Edt, ATemplateNeedsAFunctionAndAPlaceForItsGuid) {
  ocrGuid_t guid;
  EXPECT_EQ(ocrEdtTemplateCreate(nullptr, &nothing, 0, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEdtTemplateCreate(&guid, nullptr, 0, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEdtTemplateCreate(&guid, &nothing, EDT_PARAM_DEF, 0), OCR_EINVAL);
}

TEST_P(Edt, ADestroyedTemplateMakesNoMoreEdts) {
  const ocrGuid_t of = template_of(0, 0);
  EXPECT_EQ(ocrEdtTemplateDestroy(of), 0);
  EXPECT_EQ(ocrEdtTemplateDestroy(of), OCR_EINVAL);
  EXPECT_EQ(create(of, 0, nullptr, 0), OCR_EINVAL);
  EXPECT_EQ(create(NULL_GUID, 0, nullptr, 0), OCR_EINVAL);
  EXPECT_EQ(create(foreign(), 0, nullptr, 0), OCR_EINVAL);
}

TEST_P(Edt, ATemplateMayGoBeforeItsEdtsRun) {
  std::atomic<int> ran{0};
  in_edt([&] {
    const ocrGuid_t late = edt(1, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; });  // edt() destroys the template
    EXPECT_EQ(ocrAddDependence(NULL_GUID, late, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(Edt, CountsAreThoseOfTheTemplateOrSaidWhereItLeavesThemOpen) {
  u64 params[3] = {1, 2, 3};
  const ocrGuid_t fixed = template_of(2, 1), open = template_of(EDT_PARAM_UNK, EDT_PARAM_UNK);
  EXPECT_EQ(create(fixed, EDT_PARAM_DEF, params, EDT_PARAM_DEF), 0);
  EXPECT_EQ(create(fixed, 2, params, 1), 0);
  EXPECT_EQ(create(open, 3, params, 2), 0);
  EXPECT_EQ(create(fixed, 3, params, 1), OCR_EINVAL);
  EXPECT_EQ(create(fixed, 2, params, 2), OCR_EINVAL);
  EXPECT_EQ(create(fixed, EDT_PARAM_UNK, params, 1), OCR_EINVAL);
  EXPECT_EQ(create(fixed, 2, params, EDT_PARAM_UNK), OCR_EINVAL);
  EXPECT_EQ(create(open, EDT_PARAM_DEF, params, 1), OCR_EINVAL);
  EXPECT_EQ(create(open, 1, params, EDT_PARAM_DEF), OCR_EINVAL);
}

TEST_P(Edt, WhatWasNotMadeHasNoGuid) {
  ocrGuid_t made = foreign();
  EXPECT_EQ(ocrEdtTemplateCreate(&made, nullptr, 0, 0), OCR_EINVAL);
  EXPECT_EQ(made, NULL_GUID);
  made = foreign();
  EXPECT_EQ(ocrEdtCreate(&made, template_of(1, 0), 1, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr),
            OCR_EINVAL);
  EXPECT_EQ(made, NULL_GUID);
}

TEST_P(Edt, ParametersAndTheirCountGoTogether) {
  u64 param = 1;
  EXPECT_EQ(create(template_of(1, 0), EDT_PARAM_DEF, nullptr, 0), OCR_EINVAL);
  EXPECT_EQ(create(template_of(0, 0), 0, &param, 0), OCR_EINVAL);
  EXPECT_EQ(create(template_of(0, 0), EDT_PARAM_DEF, &param, 0), OCR_EINVAL);
}

ocrGuid_t sum_edt(u32 paramc, u64* paramv, u32, ocrEdtDep_t*) {
  auto& sum = *reinterpret_cast<std::atomic<u64>*>(paramv[0]);
  sum += std::accumulate(paramv + 1, paramv + paramc, u64{0});
  return NULL_GUID;
}

TEST_P(Edt, ParametersAreCopied) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    ocrGuid_t of, made;
    ASSERT_EQ(ocrEdtTemplateCreate(&of, &sum_edt, EDT_PARAM_UNK, 1), 0);
    std::vector<u64> params(2000, 1);  // beyond what fits in a task's own memory
    params[0] = reinterpret_cast<u64>(&sum);
    ASSERT_EQ(ocrEdtCreate(&made, of, 2000, params.data(), 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
    std::fill(params.begin(), params.end(), 0);
    ASSERT_EQ(ocrAddDependence(NULL_GUID, made, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(sum, 1999u);
}

TEST_P(Edt, WithoutAGuidAllDependencesHaveToBeGiven) {
  const ocrGuid_t of = template_of(0, 1);
  ocrGuid_t given = NULL_GUID;
  EXPECT_EQ(ocrEdtCreate(nullptr, of, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EPERM);
  ocrGuid_t later = UNINITIALIZED_GUID;
  EXPECT_EQ(ocrEdtCreate(nullptr, of, 0, nullptr, 1, &later, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EPERM);
  EXPECT_EQ(ocrEdtCreate(nullptr, of, 0, nullptr, 1, &given, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
}

TEST_P(Edt, AnEntryOfDepvThatIsNoObjectIsAnError) {
  ocrGuid_t given = foreign();
  EXPECT_EQ(create(template_of(0, 1), 0, nullptr, 1, &given), OCR_EINVAL);
  given = ERROR_GUID;
  EXPECT_EQ(create(template_of(0, 1), 0, nullptr, 1, &given), OCR_EINVAL);
}

TEST_P(Edt, DepvGivesBlocksEventsNothingOrSaysLater) {
  std::atomic<u64> sum{0};
  in_edt([&] {
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    const std::vector<ocrGuid_t> depv = {block(1), sticky, NULL_GUID, UNINITIALIZED_GUID};
    const ocrGuid_t made = edt(4,
                               [&](u32 depc, ocrEdtDep_t* d) {
                                 EXPECT_EQ(depc, 4u);
                                 EXPECT_EQ(d[0].mode, DB_MODE_RW);
                                 EXPECT_EQ(d[2].guid, NULL_GUID);
                                 EXPECT_EQ(d[2].ptr, nullptr);
                                 for (const int i : {0, 1, 3}) sum += *static_cast<u64*>(d[i].ptr);
                                 return NULL_GUID;
                               },
                               {EDT_PROP_NONE, nullptr, nullptr, &depv});
    EXPECT_EQ(ocrAddDependence(block(100), made, 3, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(sticky, block(10)), 0);
    EXPECT_EQ(ocrEventDestroy(sticky), 0);
  });
  EXPECT_EQ(sum, 111u);
}

// ---- Output events ----

TEST_P(Edt, TheOutputEventCarriesTheBlockReturned) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    ocrGuid_t output;
    const ocrGuid_t producer =
        edt(1, [](u32, ocrEdtDep_t*) { return block(7); }, {EDT_PROP_NONE, &output, nullptr, nullptr});
    const ocrGuid_t consumer =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(output, consumer, 0, DB_MODE_CONST), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, producer, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(seen, 7u);
}

TEST_P(Edt, TheOutputEventIsGoneOnceItIsSatisfied) {
  ocrGuid_t output;
  in_edt([&] { edt(0, [](u32, ocrEdtDep_t*) { return NULL_GUID; }, {EDT_PROP_NONE, &output, nullptr, nullptr}); });
  EXPECT_EQ(ocrEventDestroy(output), OCR_EINVAL);
}

// An EDT without open slots may be quicker than the next line of the one that makes it.
void run_until(const std::atomic<int>& ran, int times) {
  while (ran != times) ocrInformLegacyCodeBlocking();
}

TEST_P(Edt, TheOutputEventOfAnEdtThatHasEndedCanBeLinkedByItsMaker) {
  std::atomic<int> ran{0};
  std::atomic<u64> sum{0};
  in_edt([&] {
    const auto maker = [&](u32, ocrEdtDep_t*) { return ++ran, block(7); };
    const auto consumer = [&](u32, ocrEdtDep_t* d) { return sum += *static_cast<u64*>(d[0].ptr), NULL_GUID; };
    const std::vector<ocrGuid_t> control{NULL_GUID};
    ocrGuid_t plain, finish, linked;
    edt(0, maker, {EDT_PROP_NONE, &plain, nullptr, nullptr});
    edt(0, maker, {EDT_PROP_FINISH, &finish, nullptr, nullptr});
    edt(1, maker, {EDT_PROP_NONE, &linked, nullptr, &control});
    run_until(ran, 3);
    EXPECT_EQ(ocrAddDependence(plain, edt(1, consumer), 0, DB_MODE_CONST), 0);
    const std::vector<ocrGuid_t> depv{finish};
    edt(1, consumer, {EDT_PROP_NONE, nullptr, nullptr, &depv});
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrAddDependence(linked, sticky, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(sticky, edt(1, consumer), 0, DB_MODE_CONST), 0);
  });
  EXPECT_EQ(sum, 21u);
}

TEST_P(Edt, ManyOutputEventsCanBeLinkedAfterwards) {
  constexpr int kEdts = 500;
  std::atomic<int> ran{0}, told{0};
  in_edt([&] {
    std::vector<ocrGuid_t> outputs(3 * kEdts);
    for (ocrGuid_t& output : outputs)
      edt(0, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; }, {EDT_PROP_NONE, &output, nullptr, nullptr});
    run_until(ran, 3 * kEdts);
    for (int i = 2 * kEdts; i < 3 * kEdts; ++i) {
      const ocrGuid_t after = edt(1, [&](u32, ocrEdtDep_t*) { return ++told, NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(outputs[i], after, 0, DB_MODE_NULL), 0);
    }
  });
  EXPECT_EQ(told, kEdts);
}

TEST_P(Edt, AnOutputEventThatItsMakerMayLinkLaterIsSatisfiedOnceAndCanBeDestroyed) {
  std::atomic<int> ran{0};
  in_edt([&] {
    const auto count = [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; };
    ocrGuid_t output, waiting;
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    const std::vector<ocrGuid_t> depv{sticky};
    edt(1, count, {EDT_PROP_NONE, &waiting, nullptr, &depv});
    EXPECT_EQ(ocrEventDestroy(waiting), 0);
    EXPECT_EQ(ocrEventDestroy(waiting), OCR_EINVAL);
    edt(0, count, {EDT_PROP_NONE, &output, nullptr, nullptr});
    const std::vector<ocrGuid_t> after{output};
    edt(1, count, {EDT_PROP_NONE, nullptr, nullptr, &after});
    EXPECT_EQ(ocrEventSatisfy(sticky, NULL_GUID), 0);
    run_until(ran, 3);
    EXPECT_EQ(ocrEventSatisfy(output, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(output), 0);
    EXPECT_EQ(ocrEventDestroy(output), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(sticky), 0);
  });
  EXPECT_EQ(ran, 3);
}

TEST_P(Edt, AnExistingEventServesAsOutputWhenToldSo) {
  ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
  in_edt([&] { edt(0, [](u32, ocrEdtDep_t*) { return block(5); }, {EDT_PROP_OEVT_VALID, &sticky, nullptr, nullptr}); });
  EXPECT_NE(wait_for(sticky), NULL_GUID);
  ocrGuid_t none = foreign(), of = template_of(0, 0), made;
  EXPECT_EQ(ocrEdtCreate(&made, of, 0, nullptr, 0, nullptr, EDT_PROP_OEVT_VALID, NULL_HINT, &none), OCR_EINVAL);
}

TEST_P(Edt, ALatchAsOutputIsDecremented) {
  ocrEventParams_t params;
  params.EVENT_LATCH.counter = 3;
  ocrGuid_t latch = event(OCR_EVENT_LATCH_T, &params), sticky = event(OCR_EVENT_STICKY_T);
  ASSERT_EQ(ocrAddDependence(latch, sticky, 0, DB_MODE_NULL), 0);
  in_edt([&] {
    for (int i = 0; i < 3; ++i)
      edt(0, [](u32, ocrEdtDep_t*) { return NULL_GUID; }, {EDT_PROP_OEVT_VALID, &latch, nullptr, nullptr});
  });
  EXPECT_EQ(wait_for(sticky), NULL_GUID);
}

TEST_P(Edt, AReturnedEventFiresTheOutputWhenItFires) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t later = event(OCR_EVENT_STICKY_T);
    ocrGuid_t output;
    const ocrGuid_t producer =
        edt(1, [later](u32, ocrEdtDep_t*) { return later; }, {EDT_PROP_NONE, &output, nullptr, nullptr});
    const ocrGuid_t consumer =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(output, consumer, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, producer, 0, DB_MODE_NULL), 0);
    edt(0, [later](u32, ocrEdtDep_t*) { return ocrEventSatisfy(later, block(9)), NULL_GUID; });
  });
  EXPECT_EQ(seen, 9u);
}

// ---- Finish EDTs ----

void make_tree(int depth, std::atomic<int>& count) {
  ++count;
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) {
    edt(0, [depth, &count](u32, ocrEdtDep_t*) {
      make_tree(depth - 1, count);
      return NULL_GUID;
    });
  }
}

TEST_P(Edt, AFinishEdtEndsWhenAllEdtsMadeInItHave) {
  std::atomic<int> count{0};
  std::atomic<int> at_end{0};
  in_edt([&] {
    ocrGuid_t output;
    const ocrGuid_t root = edt(1, [&](u32, ocrEdtDep_t*) { return make_tree(6, count), NULL_GUID; },
                               {EDT_PROP_FINISH, &output, nullptr, nullptr});
    const ocrGuid_t after = edt(1, [&](u32, ocrEdtDep_t*) { return at_end = count.load(), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, root, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(at_end, (3 * 3 * 3 * 3 * 3 * 3 * 3 - 1) / 2);
}

TEST_P(Edt, AFinishEdtPassesOnTheBlockThatItReturns) {
  ocrGuid_t done = event(OCR_EVENT_STICKY_T), returned = block(3);
  edt(0,
      [&](u32, ocrEdtDep_t*) {
        edt(0, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
        return returned;
      },
      {EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &done, nullptr, nullptr});
  EXPECT_EQ(wait_for(done), returned);
}

TEST_P(Edt, AFinishEdtInsideAnotherHoldsItUp) {
  std::atomic<int> ran{0};
  in_edt([&] {
    edt(0,
        [&](u32, ocrEdtDep_t*) {
          for (int i = 0; i < 100; ++i) edt(0, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; });
          return NULL_GUID;
        },
        {EDT_PROP_FINISH, nullptr, nullptr, nullptr});
  });
  EXPECT_EQ(ran, 100);
}

TEST_P(Edt, AFinishEdtHoldsAHundredThousandEdts) {
  std::atomic<int> ran{0};
  ocrGuid_t of;
  ASSERT_EQ(ocrEdtTemplateCreate(
                &of,
                [](u32, u64* p, u32, ocrEdtDep_t*) {
                  ++*reinterpret_cast<std::atomic<int>*>(p[0]);
                  return NULL_GUID;
                },
                1, 0),
            0);
  in_edt([&] {
    u64 param = reinterpret_cast<u64>(&ran);
    for (int i = 0; i < 100000; ++i)
      ocrEdtCreate(nullptr, of, 1, &param, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
  });
  EXPECT_EQ(ran, 100000);
}

// ---- Destroy ----

TEST_P(Edt, ADestroyedEdtNeverRunsAndLeavesItsFinishEdt) {
  std::atomic<int> ran{0};
  in_edt([&] {
    ocrGuid_t output;
    const ocrGuid_t sticky = event(OCR_EVENT_STICKY_T);
    const ocrGuid_t never =
        edt(2, [&](u32, ocrEdtDep_t*) { return ++ran, NULL_GUID; }, {EDT_PROP_NONE, &output, nullptr, nullptr});
    EXPECT_EQ(ocrAddDependence(sticky, never, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEdtDestroy(never), 0);
    EXPECT_EQ(ocrEdtDestroy(never), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(output), OCR_EINVAL) << "its output event goes with it";
    EXPECT_EQ(ocrAddDependence(NULL_GUID, never, 1, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfy(sticky, NULL_GUID), 0) << "which knew the EDT";
  });
  EXPECT_EQ(ran, 0);
}

TEST_P(Edt, ARunningEdtCannotBeDestroyedAndAnEndedOneIsNone) {
  ocrGuid_t self = NULL_GUID;
  in_edt([&] {
    ocrCurrentEdtGet(&self);
    EXPECT_EQ(ocrEdtDestroy(self), OCR_EPERM);
  });
  EXPECT_EQ(ocrEdtDestroy(self), OCR_EINVAL);
  EXPECT_EQ(ocrEdtDestroy(NULL_GUID), OCR_EINVAL);
  EXPECT_EQ(ocrEdtDestroy(foreign(-7)), OCR_EINVAL);
}

// Several destroy EDTs whose last slots are satisfied at the same time, and say how they are best run.
TEST_P(Edt, EachEdtRunsOrIsDestroyedOnceWhoeverIsFirst) {
  constexpr std::size_t kEdts = 3000;
  std::atomic<std::size_t> ran{0}, destroyed{0};
  std::vector<ocrGuid_t> go(kEdts), edts(kEdts);
  in_edt([&] {
    for (std::size_t i = 0; i < kEdts; ++i) {
      go[i] = event(OCR_EVENT_ONCE_T);
      ocrGuid_t done;
      edts[i] = edt(1,
                    [&, i](u32, ocrEdtDep_t*) {
                      ocrElsUserSet(0, edts[i]);
                      EXPECT_EQ(ocrElsUserGet(0), edts[i]);
                      return ++ran, NULL_GUID;
                    },
                    {i % 2 == 0 ? EDT_PROP_NONE : EDT_PROP_FINISH, &done, nullptr, nullptr});
      EXPECT_EQ(ocrAddDependence(go[i], edts[i], 0, DB_MODE_NULL), 0);
    }
    edt(0, [&](u32, ocrEdtDep_t*) {
      for (const ocrGuid_t each : go) EXPECT_EQ(ocrEventSatisfy(each, NULL_GUID), 0);
      return NULL_GUID;
    });
    for (int i = 0; i < 2; ++i) {
      edt(0, [&](u32, ocrEdtDep_t*) {
        for (const ocrGuid_t each : edts) {
          const u8 code = ocrEdtDestroy(each);
          EXPECT_TRUE(code == 0 || code == OCR_EPERM || code == OCR_EINVAL) << int{code};
          destroyed += code == 0 ? 1 : 0;
        }
        return NULL_GUID;
      });
      edt(0, [&](u32, ocrEdtDep_t*) {
        ocrHint_t hint;
        ocrHintInit(&hint, OCR_HINT_EDT_T);
        ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1);
        for (const ocrGuid_t each : edts) {
          const u8 code = ocrSetHint(each, &hint);
          EXPECT_TRUE(code == 0 || code == OCR_EINVAL) << int{code};
        }
        return NULL_GUID;
      });
    }
  });
  EXPECT_EQ(ran + destroyed, kEdts);
}

TEST_P(Edt, AnEdtHasAsManySlotsAsWanted) {
  constexpr u32 kSlots = 5000;
  std::atomic<u64> sum{0};
  const ocrGuid_t one = block(1);
  in_edt([&] {
    const ocrGuid_t many = edt(kSlots, [&](u32 depc, ocrEdtDep_t* d) {
      for (u32 i = 0; i < depc; ++i) sum += *static_cast<u64*>(d[i].ptr);
      return NULL_GUID;
    });
    for (u32 i = 0; i < kSlots; ++i) EXPECT_EQ(ocrAddDependence(i % 2 == 0 ? one : block(1), many, i, DB_MODE_RW), 0);
  });
  EXPECT_EQ(sum, kSlots);
}

}  // namespace
}  // namespace ocr_test
