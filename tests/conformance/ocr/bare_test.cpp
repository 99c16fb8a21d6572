// SPDX-License-Identifier: Apache-2.0

// EDTs without slots, parameters, output event, hint, label or property, of which the runtime keeps a task's header
// alone: to the program they are EDTs like the others.
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>

#include "base/sanitizers.hpp"
#include "explain/findings.hpp"
#include "ocr/objects/origin.hpp"
#include "ocr/system/system.hpp"
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Bare);

// They have no parameters: what they do stands here, for one test at a time.
std::function<void()> bare_body;

ocrGuid_t run_bare(u32 paramc, u64*, u32 depc, ocrEdtDep_t*) {
  EXPECT_EQ(paramc, 0u);
  EXPECT_EQ(depc, 0u);
  bare_body();
  return NULL_GUID;
}

ocrGuid_t bare_template(std::function<void()> body, const char* name = "run_bare") {
  bare_body = std::move(body);
  ocrGuid_t of = NULL_GUID;
  EXPECT_EQ(ocrEdtTemplateCreate_internal(&of, &run_bare, 0, 0, name), 0);
  return of;
}

ocrGuid_t make(ocrGuid_t of) {
  ocrGuid_t made = NULL_GUID;
  EXPECT_EQ(ocrEdtCreate(&made, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr),
            0);
  EXPECT_NE(made, NULL_GUID);
  return made;
}

ocrHint_t priority(u64 value) {
  ocrHint_t hint;
  EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
  EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, value), 0);
  return hint;
}

// While it is there no EDT begins but the caller's children on its own thread. In an EDT.
class Paused {
 public:
  Paused() : flag_(ocrPause(true)) { EXPECT_EQ(flag_, 1u); }
  ~Paused() { ocrResume(flag_); }
  std::vector<ocrGuid_t> query(ocrQueryType_t what) const {
    void* result = nullptr;
    u32 size = 0;
    const ocrGuid_t found = ocrQuery(what, NULL_GUID, &result, &size, 0);
    const auto* const first = static_cast<const ocrGuid_t*>(result);
    const std::vector<ocrGuid_t> all(first, first + size / sizeof(ocrGuid_t));
    EXPECT_EQ(ocrDbDestroy(found), 0);
    return all;
  }

 private:
  u32 flag_;
};

bool has(const std::vector<ocrGuid_t>& all, ocrGuid_t guid) {
  return std::find(all.begin(), all.end(), guid) != all.end();
}

// ---- GUIDs ----

TEST_P(Bare, HasTheGuidThatItsMakerWasGiven) {
  constexpr std::size_t kEdts = 3000;
  std::mutex mutex;
  std::vector<u64> ran, made;
  const ocrGuid_t of = bare_template([&] {
    ocrGuid_t self = NULL_GUID;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    const std::lock_guard lock(mutex);
    ran.push_back(static_cast<u64>(GUIDA(self)));
  });
  for (int round = 0; round < 3; ++round) {
    in_edt([&] {
      for (std::size_t i = 0; i < kEdts; ++i) made.push_back(static_cast<u64>(GUIDA(make(of))));
    });
  }
  std::sort(ran.begin(), ran.end());
  std::sort(made.begin(), made.end());
  EXPECT_EQ(ran, made);
  EXPECT_EQ(std::adjacent_find(made.begin(), made.end()), made.end()) << "none had the GUID of one before";
}

TEST_P(Bare, NeedsNoPlaceForItsGuid) {
  std::atomic<int> ran{0};
  const ocrGuid_t of = bare_template([&] { ++ran; });
  in_edt([&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(ocrEdtCreate(nullptr, of, 0, nullptr, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
  });
  EXPECT_EQ(ran, 100);
}

TEST_P(Bare, IsReadyAtOnceAndSoCannotBeDestroyed) {
  std::atomic<int> ran{0};
  std::vector<ocrGuid_t> all;
  const ocrGuid_t of = bare_template([&] {
    ocrGuid_t self = NULL_GUID;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    EXPECT_EQ(ocrEdtDestroy(self), OCR_EPERM);
    ++ran;
  });
  in_edt([&] {
    const ocrGuid_t other = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
    {
      const Paused paused;
      for (int i = 0; i < 20; ++i) all.push_back(make(of));
      for (const ocrGuid_t each : all) {
        EXPECT_EQ(ocrEdtDestroy(each), OCR_EPERM);
        EXPECT_EQ(ocrAddDependence(NULL_GUID, each, 0, DB_MODE_NULL), OCR_EINVAL) << "it has no slots";
        EXPECT_EQ(ocrAddDependence(each, other, 0, DB_MODE_NULL), OCR_EPERM) << "it is no source of anything";
      }
    }
    EXPECT_EQ(ocrAddDependence(NULL_GUID, other, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ran, 20);
}

TEST_P(Bare, ItsGuidIsGoodNoMoreWhenItHasEnded) {
  std::vector<ocrGuid_t> all;
  const ocrGuid_t of = bare_template([] {});
  for (int round = 0; round < 3; ++round) {  // of the same memory
    in_edt([&] {
      for (int i = 0; i < 200; ++i) all.push_back(make(of));
    });
    ocrHint_t hint = priority(1), for_block, read;
    EXPECT_EQ(ocrHintInit(&for_block, OCR_HINT_DB_T), 0);
    const ocrGuid_t target = event(OCR_EVENT_STICKY_T);
    for (const ocrGuid_t each : all) {
      EXPECT_EQ(ocrEdtDestroy(each), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, each, 0, DB_MODE_NULL), OCR_EINVAL);
      EXPECT_EQ(ocrAddDependence(each, target, 0, DB_MODE_NULL), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(each, &hint), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(each, &for_block), OCR_EINVAL);
      EXPECT_EQ(ocrGetHint(each, &read), OCR_EINVAL);
    }
    EXPECT_EQ(ocrEventDestroy(target), 0);
  }
}

// ---- While it runs ----

TEST_P(Bare, HasLocalStorageOfItsOwn) {
  std::atomic<int> ran{0};
  const ocrGuid_t of = bare_template([&] {
    for (const u8 offset : {u8{0}, u8{255}}) EXPECT_EQ(ocrElsUserGet(offset), NULL_GUID);
    ocrGuid_t self = NULL_GUID;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    ocrElsUserSet(255, self);
    void* words = nullptr;
    u64 bytes = 0;
    EXPECT_EQ(ocrEdtLocalStorageGet(&words, &bytes), 0);
    EXPECT_EQ(bytes, 256 * sizeof(ocrGuid_t));
    EXPECT_EQ(static_cast<ocrGuid_t*>(words)[255], self);
    ++ran;
  });
  in_edt([&] {
    for (int i = 0; i < 100; ++i) make(of);
  });
  EXPECT_EQ(ran, 100);
}

// The inner ones run on top of the outer one's stack.
TEST_P(Bare, WaitsInsideWhileOthersRunOnItsThread) {
  std::atomic<int> depth{0}, ran{0};
  ocrGuid_t of = NULL_GUID;
  of = bare_template([&] {
    ocrGuid_t self = NULL_GUID, after = NULL_GUID;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    ocrElsUserSet(7, self);
    if (++depth <= 10) {
      const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
      make(of);
      edt(0, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(done, NULL_GUID), NULL_GUID; });
      EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
    }
    EXPECT_EQ(ocrCurrentEdtGet(&after), 0);
    EXPECT_EQ(after, self);
    EXPECT_EQ(ocrElsUserGet(7), self);
    ++ran;
  });
  in_edt([&] { make(of); });
  EXPECT_EQ(ran, 11);
}

TEST_P(Bare, HasNoOutputEventAndKnowsWhereItIs) {
  const ocrGuid_t of = bare_template([] {
    ocrGuid_t output = foreign(), self = NULL_GUID, here = NULL_GUID, current = NULL_GUID;
    EXPECT_EQ(ocrCurrentEdtOutputGet(&output), 0);
    EXPECT_EQ(output, NULL_GUID);
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    EXPECT_EQ(ocrAffinityGetCurrent(&current), 0);
    EXPECT_EQ(ocrAffinityQuery(self, nullptr, &here), 0);
    EXPECT_EQ(here, current);
  });
  in_edt([&] {
    for (int i = 0; i < 50; ++i) make(of);
  });
}

TEST_P(Bare, GivesBackTheBlocksThatItMadeAtItsEnd) {
  constexpr int kBlocks = 64;
  std::mutex mutex;
  std::vector<ocrGuid_t> made;
  const ocrGuid_t of = bare_template([&] {
    ocrGuid_t kept = NULL_GUID, released = NULL_GUID, gone = NULL_GUID;
    void* data = nullptr;
    for (ocrGuid_t* each : {&released, &kept, &gone}) {
      EXPECT_EQ(ocrDbCreate(each, &data, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      *static_cast<u64*>(data) = 5;
    }
    EXPECT_EQ(ocrDbRelease(released), 0);
    EXPECT_EQ(ocrDbDestroy(gone), 0);
    const std::lock_guard lock(mutex);
    made.push_back(kept);
    made.push_back(released);
  });
  in_edt([&] {
    for (int i = 0; i < kBlocks; ++i) make(of);
  });
  ASSERT_EQ(made.size(), 2u * kBlocks);
  std::atomic<u64> sum{0};
  in_edt([&] {
    for (const ocrGuid_t each : made) {
      const ocrGuid_t owner =
          edt(1, [&](u32, ocrEdtDep_t* d) { return sum += *static_cast<u64*>(d[0].ptr), NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(each, owner, 0, DB_MODE_EW), 0);
    }
  });
  EXPECT_EQ(sum, 10u * kBlocks);
  for (const ocrGuid_t each : made) EXPECT_EQ(ocrDbDestroy(each), 0);
}

// ---- In a finish EDT ----

TEST_P(Bare, ItsChildrenCountInItsFinishEdt) {
  constexpr int kChildren = 1000, kParents = 20;
  std::atomic<int> turns{0}, ran{0};
  ocrGuid_t of = NULL_GUID;
  of = bare_template([&] {
    if (turns++ < kParents)
      for (int i = 0; i < kChildren; ++i) make(of);
    ++ran;
  });
  for (int round = 0; round < 3; ++round) {
    turns = ran = 0;
    in_edt([&] {
      for (int i = 0; i < kParents; ++i) make(of);
    });
    EXPECT_EQ(ran, kParents + kParents * kChildren);
  }
}

TEST_P(Bare, RunsAmongOthersOfAllKinds) {
  std::atomic<int> bare{0}, others{0};
  const ocrGuid_t of = bare_template([&] {
    ++bare;
    edt(0,
        [&](u32, ocrEdtDep_t*) {
          edt(0, [&](u32, ocrEdtDep_t*) { return ++others, NULL_GUID; });
          return ++others, NULL_GUID;
        },
        {EDT_PROP_FINISH, nullptr, nullptr, nullptr});
  });
  in_edt([&] {
    for (int i = 0; i < 300; ++i) {
      make(of);
      edt(0, [&](u32, ocrEdtDep_t*) { return make(of), NULL_GUID; }, {EDT_PROP_FINISH, nullptr, nullptr, nullptr});
    }
  });
  EXPECT_EQ(bare, 600);
  EXPECT_EQ(others, 1200);
}

// ---- Hints ----

TEST_P(Bare, TellsTheHintsThatItWasGivenLate) {
  const ocrGuid_t of = bare_template([] {});
  in_edt([&] {
    const Paused paused;
    std::vector<ocrGuid_t> all;
    for (u64 i = 0; i < 300; ++i) all.push_back(make(of));
    ocrHint_t for_block, read;
    EXPECT_EQ(ocrHintInit(&for_block, OCR_HINT_DB_T), 0);
    EXPECT_EQ(ocrGetHint(all[0], &read), 0);
    EXPECT_EQ(read.type, OCR_HINT_EDT_T);
    EXPECT_EQ(read.propMask, 0u);
    for (u64 i = 0; i < all.size(); ++i) {
      ocrHint_t hint = priority(i), second;
      EXPECT_EQ(ocrHintInit(&second, OCR_HINT_EDT_T), 0);
      EXPECT_EQ(ocrSetHintValue(&second, OCR_HINT_EDT_SPACE, 2 * i), 0);
      EXPECT_EQ(ocrSetHint(all[i], &hint), 0);
      EXPECT_EQ(ocrSetHint(all[i], &second), 0);
      EXPECT_EQ(ocrSetHint(all[i], &for_block), OCR_EINVAL);
    }
    for (u64 i = 0; i < all.size(); ++i) {
      u64 value = 0;
      ASSERT_EQ(ocrGetHint(all[i], &read), 0);
      EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_PRIORITY, &value), 0);
      EXPECT_EQ(value, i);
      EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SPACE, &value), 0);
      EXPECT_EQ(value, 2 * i);
      EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_TIME, &value), OCR_ENOENT);
    }
    EXPECT_EQ(ocrSetHint(all[0], nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrGetHint(all[0], nullptr), OCR_EINVAL);
  });
}

TEST_P(Bare, HasTheAffinityThatItWasGivenLate) {
  ocrGuid_t affinity = NULL_GUID, where = NULL_GUID;
  ASSERT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &affinity), 0);
  const ocrGuid_t of = bare_template([] {});
  ocrGuid_t placed = NULL_GUID;
  in_edt([&] {
    const Paused paused;
    placed = make(of);
    ocrHint_t hint;
    EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
    EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)), 0);
    EXPECT_EQ(ocrSetHint(placed, &hint), 0);
    EXPECT_EQ(ocrAffinityQuery(placed, nullptr, &where), 0);
    EXPECT_EQ(where, affinity);
  });
  EXPECT_EQ(ocrAffinityQuery(placed, nullptr, &where), 0) << "of what is gone, where the caller is";
}

// A new EDT in the memory of one that had hints has none.
TEST_P(Bare, TellsItsOwnHintsWhileOthersEnd) {
  std::atomic<u64> told{0};
  const ocrGuid_t of = bare_template([&] {
    ocrGuid_t self = NULL_GUID;
    ocrHint_t read, hint = priority(8);
    u64 value = 0;
    EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
    EXPECT_EQ(ocrSetHint(self, &hint), 0);
    EXPECT_EQ(ocrGetHint(self, &read), 0);
    EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_PRIORITY, &value), 0);
    EXPECT_EQ(value, 8u);
    ++told;
  });
  in_edt([&] {
    for (u64 i = 0; i < 2000; ++i) {
      const ocrGuid_t each = make(of);
      ocrHint_t read, hint;
      EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
      u64 value = 0;
      const u8 before = ocrGetHint(each, &read);
      EXPECT_TRUE(before == OCR_EINVAL ||
                  (read.propMask & 1u << (OCR_HINT_EDT_SPACE - OCR_HINT_EDT_PROP_START - 1)) == 0);
      EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_SPACE, i), 0);
      const u8 set = ocrSetHint(each, &hint);
      EXPECT_TRUE(set == 0 || set == OCR_EINVAL) << int{set};
      const u8 got = ocrGetHint(each, &read);
      if (got == 0) {
        EXPECT_EQ(set, 0);
        EXPECT_EQ(ocrGetHintValue(&read, OCR_HINT_EDT_SPACE, &value), 0);
        EXPECT_EQ(value, i);
      } else {
        EXPECT_EQ(got, OCR_EINVAL);
      }
    }
  });
  EXPECT_EQ(told, 2000u);
}

// ---- Who looks at all of them ----

TEST_P(Bare, IsAmongTheReadyOnesUntilItBegins) {
  std::atomic<int> before{0}, ran{0};
  ocrGuid_t of = NULL_GUID, runs = NULL_GUID;
  of = bare_template([&] {
    if (before++ == 0) {
      EXPECT_EQ(ocrCurrentEdtGet(&runs), 0);
      const Paused paused;
      std::vector<ocrGuid_t> made;
      for (int i = 0; i < 30; ++i) made.push_back(make(of));
      const std::vector<ocrGuid_t> ready = paused.query(OCR_QUERY_READY_EDTS), all = paused.query(OCR_QUERY_ALL_EDTS);
      EXPECT_EQ(ready.size(), made.size());
      for (const ocrGuid_t each : made) EXPECT_TRUE(has(ready, each) && has(all, each));
      EXPECT_FALSE(has(ready, runs));
      EXPECT_TRUE(has(all, runs));
    }
    ++ran;
  });
  in_edt([&] { make(of); });
  EXPECT_EQ(ran, 31);
}

// The end of its function is its end, also where somebody who looks at it keeps its worker from going on.
TEST_P(Bare, IsNoneToWhoPausesWhenItsFunctionHasReturned) {
  constexpr int kRounds = weir::base::kUnderSanitizer ? 10 : 100, kSlow = weir::base::kUnderSanitizer ? 100 : 2000;
  std::atomic<int> ran{0};
  std::atomic<bool> stop{false};
  const ocrGuid_t of = bare_template([&] { ++ran; });
  const auto wait = [&] {
    while (ran != 4) {
      if (GetParam() == 1)
        ocrInformLegacyCodeBlocking();
      else
        std::this_thread::yield();  // others run them
    }
  };
  in_edt([&] {
    for (int i = 0; i < 4; ++i) make(of);
    wait();
    std::vector<ocrGuid_t> slow;  // to be looked at after those, whose memory the next ones have
    for (int i = 0; i < kSlow; ++i) slow.push_back(edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; }));
    std::thread looker([&] {
      while (!stop) static_cast<void>(weir::ocr::System::running()->explaining()->look());
    });
    for (int round = 0; round < kRounds; ++round) {
      ran = 0;
      std::vector<ocrGuid_t> made;
      for (int i = 0; i < 4; ++i) made.push_back(make(of));
      wait();
      const Paused paused;
      const std::vector<ocrGuid_t> all = paused.query(OCR_QUERY_ALL_EDTS);
      for (const ocrGuid_t each : made) {
        EXPECT_FALSE(has(all, each)) << "in round " << round;
        EXPECT_EQ(ocrEdtDestroy(each), OCR_EINVAL) << "in round " << round;
      }
    }
    stop = true;
    looker.join();
    for (const ocrGuid_t each : slow) EXPECT_EQ(ocrEdtDestroy(each), 0);
  });
}

using weir::explain::Situation;

const weir::explain::Thing* find_thing(const Situation& seen, ocrGuid_t guid) {
  for (const weir::explain::Thing& thing : seen.things)
    if (thing.kind == weir::explain::Kind::edt && thing.id == static_cast<std::uint64_t>(GUIDA(guid))) return &thing;
  return nullptr;
}

TEST_P(Bare, IsExplainedByItsFunctionItsMakerAndItsPlace) {
  std::atomic<bool> first{true};
  ocrGuid_t of = NULL_GUID, child_of = NULL_GUID;
  of = bare_template(
      [&] {
        if (!first.exchange(false)) return;
        ocrGuid_t self = NULL_GUID;
        EXPECT_EQ(ocrCurrentEdtGet(&self), 0);
        const Paused paused;
        const ocrGuid_t one = make(child_of), two = make(child_of);
        const Situation seen = weir::ocr::System::running()->explaining()->look();
        const weir::explain::Thing* const it = find_thing(seen, self);
        ASSERT_NE(it, nullptr);
        EXPECT_EQ(it->state, weir::explain::State::running);
        for (const ocrGuid_t each : {one, two}) {
          const weir::explain::Thing* const child = find_thing(seen, each);
          ASSERT_NE(child, nullptr);
          EXPECT_NE(child->state, weir::explain::State::waiting);  // a worker may be about to begin it
          EXPECT_NE(child->name.find("the_child"), std::string::npos) << child->name;
          EXPECT_NE(child->detail.find("created in EDT the_maker"), std::string::npos) << child->detail;
          EXPECT_NE(child->site, nullptr);
        }
      },
      "the_maker");
  EXPECT_EQ(ocrEdtTemplateCreate_internal(&child_of, &run_bare, 0, 0, "the_child"), 0);
  in_edt([&] { make(of); });
}

// Each by its own name: more than one worker's table of origins begins with, and than it has after it has grown.
TEST_P(Bare, OfManyKindsAreToldApart) {
  constexpr std::size_t kKinds = 300;
  std::atomic<std::size_t> ran{0};
  std::vector<ocrGuid_t> kinds;
  for (std::size_t i = 0; i < kKinds; ++i)
    kinds.push_back(bare_template([&] { ++ran; }, ("kind" + std::to_string(i) + ".").c_str()));
  in_edt([&] {
    const Paused paused;
    std::vector<ocrGuid_t> made;
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < kKinds; ++i) made.push_back(make(kinds[i]));
    const Situation seen = weir::ocr::System::running()->explaining()->look();
    for (std::size_t i = 0; i < made.size(); ++i) {
      const weir::explain::Thing* const thing = find_thing(seen, made[i]);
      ASSERT_NE(thing, nullptr);
      EXPECT_NE(thing->name.find("kind" + std::to_string(i % kKinds) + "."), std::string::npos) << thing->name;
    }
  });
  EXPECT_EQ(ran, 2 * kKinds);
}

// ---- What is left at the end ----

class Runtimes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Runtimes, testing::Values(1, 2, 8),
                         [](const testing::TestParamInfo<int>& i) { return std::to_string(i.param); });

// One after the other in one process: some run all of their EDTs, and some leave most of them, looked at or not.
TEST_P(Runtimes, OfOneProcessHaveEdtsOfTheirOwn) {
  setenv("WEIR_WORKERS", std::to_string(GetParam()).c_str(), 1);
  std::vector<ocrGuid_t> stale;
  for (int round = 0; round < 10; ++round) {
    ocrGuid_t context = NULL_GUID;
    ocrLegacyInit(&context, nullptr);
    std::atomic<int> ran{0};
    const ocrGuid_t of = bare_template([&] { ++ran; });
    ocrHint_t hint = priority(3), read;
    for (const ocrGuid_t each : stale) {
      EXPECT_EQ(ocrEdtDestroy(each), OCR_EINVAL);
      EXPECT_EQ(ocrSetHint(each, &hint), OCR_EINVAL);
      EXPECT_EQ(ocrGetHint(each, &read), OCR_EINVAL);
    }
    constexpr int kEdts = 500;
    for (int i = 0; i < kEdts; ++i) {
      const ocrGuid_t made = make(of);
      EXPECT_FALSE(has(stale, made));
      if (i % 10 == 0) {
        static_cast<void>(ocrSetHint(made, &hint));
        stale.push_back(made);
      }
    }
    if (round % 2 == 0) {
      ocrGuid_t done = event(OCR_EVENT_STICKY_T);
      const Body wait = [&](u32, ocrEdtDep_t*) {
        while (ran != kEdts) ocrInformLegacyCodeBlocking();
        return NULL_GUID;
      };
      edt(0, wait, {EDT_PROP_OEVT_VALID, &done, nullptr, nullptr});
      EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(ran, kEdts);
    } else if (round % 4 == 1) {
      static_cast<void>(weir::ocr::System::running()->explaining()->look());
    }
    EXPECT_EQ(ocrLegacyFinalize(context, false), 0);
  }
}

// LeakSanitizer sees what hangs on them: late hints, gates of who looked, and where they come from.
TEST_P(Runtimes, GiveBackWhatHangsOnBareEdtsThatNeverRan) {
  setenv("WEIR_WORKERS", std::to_string(GetParam()).c_str(), 1);
  for (int round = 0; round < 4; ++round) {
    ocrGuid_t context = NULL_GUID;
    ocrLegacyInit(&context, nullptr);
    std::atomic<int> turns{0};
    std::atomic<bool> looked{false};
    ocrGuid_t of = NULL_GUID;
    const ocrGuid_t looked_at = event(OCR_EVENT_STICKY_T);
    // Several make some, so that the memory is that of several workers.
    of = bare_template([&] {
      if (turns++ >= GetParam()) return;
      for (int i = 0; i < 300; ++i) {
        ocrHint_t hint = priority(1);
        static_cast<void>(ocrSetHint(make(of), &hint));
      }
      if (!looked.exchange(true)) {
        const Paused paused;
        for (int i = 0; i < 300; ++i) make(of);
        static_cast<void>(weir::ocr::System::running()->explaining()->look());
        static_cast<void>(paused.query(OCR_QUERY_ALL_EDTS));
        EXPECT_EQ(ocrEventSatisfy(looked_at, NULL_GUID), 0);
        ocrShutdown();
      }
    });
    make(of);
    static_cast<void>(ocrLegacyBlockProgress(looked_at, nullptr, nullptr, nullptr, LEGACY_PROP_NONE));
    EXPECT_EQ(ocrLegacyFinalize(context, round % 2 == 0), 0);
  }
}

// ---- Origins ----

TEST(Origins, AreKeptOnceForAllWorkers) {
  weir::ocr::Origins one, two;
  const weir::ocr::EdtKind* const kind = weir::ocr::intern(&run_bare, "kept once");
  EXPECT_EQ(weir::ocr::intern(&run_bare, "kept once"), kind);
  EXPECT_NE(weir::ocr::intern(&run_bare, "kept twice"), kind);
  EXPECT_NE(weir::ocr::intern(&run_bare, nullptr), kind);
  EXPECT_EQ(weir::ocr::intern(&run_bare, nullptr), weir::ocr::intern(&run_bare, nullptr));
  std::vector<char> places(5000);
  std::vector<const weir::ocr::EdtOrigin*> found;
  for (const char& place : places) {
    const weir::ocr::EdtOrigin wanted{kind, &place - places.data() < 2500 ? nullptr : kind, &place};
    found.push_back(one.find(wanted));
    EXPECT_EQ(*found.back(), wanted);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(one.find(*found[i]), found[i]);
    EXPECT_EQ(two.find(*found[places.size() - 1 - i]), found[places.size() - 1 - i]);
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}

// All of them in one place of the table.
TEST(Origins, ThatDifferInOneThingAreTwo) {
  weir::ocr::Origins origins;
  const weir::ocr::EdtKind* const a = weir::ocr::intern(&run_bare, "a");
  const weir::ocr::EdtKind* const b = weir::ocr::intern(&run_bare, "b");
  const char place = 0;
  std::vector<const weir::ocr::EdtOrigin*> found;
  for (const void* site : {static_cast<const void*>(nullptr), static_cast<const void*>(&place)})
    for (const weir::ocr::EdtKind* kind : {a, b})
      for (const weir::ocr::EdtKind* creator : {static_cast<const weir::ocr::EdtKind*>(nullptr), a, b})
        found.push_back(origins.find({kind, creator, site}));
  std::sort(found.begin(), found.end());
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}

}  // namespace
}  // namespace ocr_test
