// SPDX-License-Identifier: Apache-2.0

// A program that is asked what its EDTs, and its own thread, wait for within their functions (docs/explaining.md).
#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "explain/findings.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/observe/waits.hpp"
#include "ocr/system/system.hpp"
#include "ocr_test.hpp"
#include "weir/weir.hpp"

namespace ocr_test {
namespace {
namespace explained_waits {

using weir::explain::Cause;
using weir::explain::Situation;
using weir::explain::Thing;
using weir::explain::Wait;

OCR_TEST_SUITE(OcrExplainWaits);

std::uint64_t id_of(ocrGuid_t guid) { return static_cast<std::uint64_t>(GUIDA(guid)); }

// On this rank, whatever the others are for.
ocrGuid_t event_here(ocrEventTypes_t type = OCR_EVENT_STICKY_T) {
  ocrGuid_t made = NULL_GUID;
  EXPECT_EQ(ocrEventCreate(&made, type, EVT_PROP_TAKES_ARG), 0);
  return made;
}
ocrGuid_t block_here() {
  ocrGuid_t made = NULL_GUID;
  void* address = nullptr;
  EXPECT_EQ(ocrDbCreate(&made, &address, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
  EXPECT_EQ(ocrDbRelease(made), 0);
  return made;
}
ocrGuid_t label_here(ocrGuidUserKind kind) {
  ocrGuid_t range = NULL_GUID, label = NULL_GUID;
  EXPECT_EQ(ocrGuidRangeCreate(&range, 1, kind), 0);
  EXPECT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  return label;
}

// A thread of which OCR knows, and expects that it may satisfy what others wait for.
std::thread known_thread(std::function<void()> body) {
  std::promise<void> known;
  const std::future<void> is_known = known.get_future();
  std::thread made([known = std::move(known), body = std::move(body)]() mutable {
    EXPECT_EQ(ocrEventDestroy(event_here()), 0);
    known.set_value();
    body();
  });
  is_known.wait();
  return made;
}

// Asks until a look is as wanted.
template <class F>
Situation look_until(F&& is_wanted) {
  for (;; std::this_thread::yield()) {
    Situation seen = weir::ocr::System::running()->explaining()->look();
    if (is_wanted(seen)) return seen;
  }
}

// What `who` waits for, once it does for that cause; it does so within its function.
Wait wait_of(ocrGuid_t who, Cause cause) {
  Wait found;
  const Situation seen = look_until([&](const Situation& situation) {
    const auto at = std::find_if(situation.waits.begin(), situation.waits.end(), [&](const Wait& wait) {
      return wait.cause == cause && situation.things[wait.who].id == id_of(who);
    });
    if (at != situation.waits.end()) found = *at;
    return at != situation.waits.end();
  });
  EXPECT_EQ(seen.things[found.who].state, weir::explain::State::waiting);
  EXPECT_NE(seen.things[found.who].detail.find("in its function"), std::string::npos);
  return found;
}

ocrGuid_t nothing(u32, ocrEdtDep_t*) { return NULL_GUID; }

// `waiter` waits for what `second` would satisfy, which depends on the end of `waiter`.
TEST_P(OcrExplainWaits, ACircleThroughAnEventThatAnEdtWaitsForIsFound) {
  const ocrGuid_t open = event_here(), ended = event_here();
  ocrGuid_t of_second = event_here(OCR_EVENT_IDEM_T), of_waiter = ended;
  const ocrGuid_t second = edt(1, nothing, {EDT_PROP_OEVT_VALID, &of_second, nullptr, nullptr});
  EXPECT_EQ(ocrAddDependence(ended, second, 0, DB_MODE_NULL), 0);
  const std::vector<ocrGuid_t> when_open = {open};
  const ocrGuid_t waiter = edt(1,
                               [of_second](u32, ocrEdtDep_t*) {
                                 EXPECT_EQ(ocrLegacyBlockProgress(of_second, nullptr, nullptr, nullptr, 0), 0);
                                 return NULL_GUID;
                               },
                               {EDT_PROP_OEVT_VALID, &of_waiter, nullptr, &when_open});
  EXPECT_EQ(ocrEventSatisfy(open, NULL_GUID), 0);
  std::thread satisfies = known_thread([&] {
    static_cast<void>(wait_of(waiter, Cause::event));
    std::vector<std::uint64_t> circle;
    static_cast<void>(look_until([&](const Situation& seen) {
      for (const std::uint32_t wait : weir::explain::find(seen).cycle)
        circle.push_back(seen.things[seen.waits[wait].who].id);
      return !circle.empty();
    }));
    EXPECT_EQ(circle.size(), 4u) << "two EDTs and two events";
    for (const ocrGuid_t each : {waiter, of_second, second, ended})
      EXPECT_NE(std::find(circle.begin(), circle.end(), id_of(each)), circle.end());
    EXPECT_EQ(ocrEventSatisfy(of_second, NULL_GUID), 0);
  });
  wait_for(of_waiter);
  satisfies.join();
}

TEST_P(OcrExplainWaits, AnEventThatIsGoneIsSaidToBe) {
  if (are_elsewhere()) return;  // the EDT waits until the program ends
  const ocrGuid_t gone = event_here(), begun = event_here();
  const ocrGuid_t waiter = edt(0, [=](u32, ocrEdtDep_t*) {
    EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
    EXPECT_EQ(ocrLegacyBlockProgress(gone, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_ECANCELED);
    return NULL_GUID;
  });
  wait_for(begun);
  static_cast<void>(wait_of(waiter, Cause::event));
  EXPECT_EQ(ocrEventDestroy(gone), 0);
  EXPECT_NE(wait_of(waiter, Cause::nothing).what.find("which was destroyed"), std::string::npos);
}

TEST_P(OcrExplainWaits, SaysWhatTheProgramsOwnThreadWaitsFor) {
  const ocrGuid_t waited = event_here();
  std::thread satisfies = known_thread([&] {
    static_cast<void>(look_until([&](const Situation& seen) {
      return std::any_of(seen.waits.begin(), seen.waits.end(), [&](const Wait& wait) {
        const Thing& who = seen.things[wait.who];
        return wait.cause == Cause::event && who.kind == weir::explain::Kind::thread &&
               who.name == "the program outside of EDTs" && seen.things[wait.on].id == id_of(waited);
      });
    }));
    EXPECT_EQ(ocrEventSatisfy(waited, NULL_GUID), 0);
  });
  wait_for(waited);
  satisfies.join();
}

// An EDT that makes an object under a label which another one has.
ocrGuid_t edt_that_makes(ocrGuid_t label, ocrGuid_t begun, ocrGuid_t made) {
  return edt(0, [=](u32, ocrEdtDep_t*) {
    ocrGuid_t guid = label;
    void* address = nullptr;
    EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
    if (ocrGuidIsEq(made, NULL_GUID)) {
      EXPECT_EQ(ocrDbCreate(&guid, &address, 64, GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC), 0);
    } else {
      EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK), 0);
      EXPECT_EQ(ocrEventSatisfy(made, NULL_GUID), 0);
    }
    return NULL_GUID;
  });
}

TEST_P(OcrExplainWaits, ALabelOfAnEventThatIsTaken) {
  const ocrGuid_t label = label_here(GUID_USER_EVENT_STICKY), begun = event_here(), made = event_here();
  ocrGuid_t guid = label;
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
  const ocrGuid_t maker = edt_that_makes(label, begun, made);
  wait_for(begun);
  const std::string what = wait_of(maker, Cause::label).what;
  EXPECT_NE(what.find("the event of label 0x"), std::string::npos) << what;
  EXPECT_NE(what.find("to be destroyed: STICKY event"), std::string::npos) << what;
  EXPECT_EQ(ocrEventDestroy(label), 0);
  wait_for(made);
}

TEST_P(OcrExplainWaits, ABlockThatWasDestroyedAndIsHeldUnderItsLabel) {
  const ocrGuid_t label = label_here(GUID_USER_DB), begun = event_here(), held = event_here();
  ocrGuid_t guid = label;
  void* address = nullptr;
  EXPECT_EQ(ocrDbCreate(&guid, &address, 64, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
  EXPECT_EQ(ocrDbRelease(guid), 0);
  in_edt([&] {
    const std::vector<ocrGuid_t> depv = {label};
    const ocrGuid_t go_on = event_here();
    const ocrGuid_t holder = edt(1,
                                 [=](u32, ocrEdtDep_t*) {
                                   EXPECT_EQ(ocrEventSatisfy(held, NULL_GUID), 0);
                                   EXPECT_EQ(ocrLegacyBlockProgress(go_on, nullptr, nullptr, nullptr, 0), 0);
                                   return NULL_GUID;
                                 },
                                 {EDT_PROP_NONE, nullptr, nullptr, &depv});
    wait_for(held);
    const ocrGuid_t maker = edt_that_makes(label, begun, NULL_GUID);
    wait_for(begun);
    EXPECT_NE(wait_of(maker, Cause::label).what.find("the data block of label 0x"), std::string::npos);
    EXPECT_EQ(ocrDbDestroy(label), 0);
    const Wait wait = wait_of(maker, Cause::block);
    const Situation seen = weir::ocr::System::running()->explaining()->look();
    EXPECT_EQ(seen.things[wait.on].id, id_of(holder));
    EXPECT_EQ(ocrEventSatisfy(go_on, NULL_GUID), 0);
  });
}

TEST_P(OcrExplainWaits, ALabelOfAnEdtThatIsTaken) {
  const ocrGuid_t label = label_here(GUID_USER_EDT);
  in_edt([&] {
    ocrGuid_t of = NULL_GUID, first = label;
    EXPECT_EQ(ocrEdtTemplateCreate(
                  &of, [](u32, u64*, u32, ocrEdtDep_t*) -> ocrGuid_t { return NULL_GUID; }, 0, 1),
              0);
    EXPECT_EQ(ocrEdtCreate(&first, of, 0, nullptr, 1, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), 0);
    const ocrGuid_t begun = event_here();
    const ocrGuid_t maker = edt(0, [=](u32, ocrEdtDep_t*) {
      ocrGuid_t next = label;
      EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
      EXPECT_EQ(ocrEdtCreate(&next, of, 0, nullptr, 1, nullptr, GUID_PROP_BLOCK, NULL_HINT, nullptr), 0);
      EXPECT_EQ(ocrAddDependence(NULL_GUID, next, 0, DB_MODE_NULL), 0);
      return NULL_GUID;
    });
    wait_for(begun);
    const Wait wait = wait_of(maker, Cause::label);
    const Situation seen = weir::ocr::System::running()->explaining()->look();
    ASSERT_NE(wait.on, weir::explain::kNobody);
    EXPECT_EQ(seen.things[wait.on].id, id_of(label));
    EXPECT_EQ(ocrAddDependence(NULL_GUID, label, 0, DB_MODE_NULL), 0);
  });
}

TEST_P(OcrExplainWaits, ALabelWhoseEventIsNotMade) {
  const ocrGuid_t label = label_here(GUID_USER_EVENT_STICKY), begun = event_here();
  in_edt([&] {
    const ocrGuid_t waiter = edt(0, [=](u32, ocrEdtDep_t*) {
      EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
      EXPECT_EQ(ocrLegacyBlockProgress(label, nullptr, nullptr, nullptr, LEGACY_PROP_WAIT_FOR_CREATE), 0);
      return NULL_GUID;
    });
    wait_for(begun);
    const std::string what = wait_of(waiter, Cause::nothing).what;
    EXPECT_NE(what.find("which was never created"), std::string::npos) << what;
    ocrGuid_t guid = label;
    EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
    EXPECT_EQ(ocrEventSatisfy(guid, NULL_GUID), 0);
  });
}

// Each holds a block and waits for that of the other, for which the library has an EDT that is not told of.
TEST_P(OcrExplainWaits, EdtsThatWaitForOneAnothersBlocksAreACircle) {
  if (are_elsewhere()) return;  // they wait until the program ends
  const ocrGuid_t blocks[] = {block_here(), block_here()}, begun[] = {event_here(), event_here()};
  const ocrGuid_t met[] = {event_here(), event_here()};
  ocrGuid_t edts[2];
  for (int i = 0; i < 2; ++i) {
    const ocrGuid_t brings = event_here(), mine = begun[i], other = begun[1 - i], goes_on = met[i];
    EXPECT_EQ(ocrEventSatisfy(brings, blocks[1 - i]), 0);
    edts[i] = edt(1, [=](u32, ocrEdtDep_t*) {
      u64 size = 0;
      EXPECT_EQ(ocrEventSatisfy(mine, NULL_GUID), 0);
      EXPECT_EQ(ocrLegacyBlockProgress(other, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(ocrEventSatisfy(goes_on, NULL_GUID), 0);
      // At the end of the program the first that is told gives up its block, which the other may get.
      const u8 code = ocrLegacyBlockProgress(brings, nullptr, nullptr, &size, LEGACY_PROP_NONE);
      EXPECT_TRUE(code == OCR_ECANCELED || code == 0) << int{code};
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(blocks[i], edts[i], 0, DB_MODE_EW), 0);
  }
  for (const ocrGuid_t each : met) wait_for(each);
  for (const ocrGuid_t each : edts) static_cast<void>(wait_of(each, Cause::block));
  std::vector<std::uint64_t> circle;
  const Situation seen = look_until([&](const Situation& situation) {
    for (const std::uint32_t wait : weir::explain::find(situation).cycle)
      circle.push_back(situation.things[situation.waits[wait].who].id);
    return !circle.empty();
  });
  std::sort(circle.begin(), circle.end());
  EXPECT_EQ(circle, (std::vector<std::uint64_t>{std::min(id_of(edts[0]), id_of(edts[1])),
                                                std::max(id_of(edts[0]), id_of(edts[1]))}));
  EXPECT_EQ(weir::explain::find(seen).waiting, 2u);
}

// The name of what an EDT that runs `body` waits for, once it does for that cause. From then on stay() returns, which
// the body has a task call.
std::string wait_of_body(Cause cause, const std::function<void(const std::function<void()>& stay)>& body) {
  std::atomic<bool> lets_go = false;
  const ocrGuid_t ended = event_here();
  ocrGuid_t output = ended;
  const std::vector<ocrGuid_t> none = {NULL_GUID};
  const ocrGuid_t waiter = edt(1,
                               [&](u32, ocrEdtDep_t*) {
                                 body([&] { lets_go.wait(false); });
                                 return NULL_GUID;
                               },
                               {EDT_PROP_OEVT_VALID, &output, nullptr, &none});
  std::string on;
  std::thread lets([&] {
    static_cast<void>(look_until([&](const Situation& seen) {
      const auto at = std::find_if(seen.waits.begin(), seen.waits.end(), [&](const Wait& wait) {
        return wait.cause == cause && wait.on != weir::explain::kNobody && seen.things[wait.who].id == id_of(waiter);
      });
      if (at == seen.waits.end()) return false;
      on = seen.things[at->on].name;
      return true;
    }));
    lets_go = true;
    lets_go.notify_all();
  });
  EXPECT_EQ(ocrLegacyBlockProgress(ended, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  lets.join();
  return on;
}

TEST_P(OcrExplainWaits, AnEdtThatWaitsForItsTasksNamesThem) {
  const std::string child = wait_of_body(Cause::children, [](const std::function<void()>& stay) {
    weir::spawn(weir::name("child"), stay);
    weir::wait();
  });
  EXPECT_EQ(child, "child");
}

TEST_P(OcrExplainWaits, AnEdtThatWaitsByAHandleNamesTheTask) {
  const std::string task = wait_of_body(Cause::task, [](const std::function<void()>& stay) {
    weir::wait(weir::spawn(weir::name("by its handle"), stay));
  });
  EXPECT_EQ(task, "by its handle");
}

// A look may find what an EDT waited for, and in its memory another EDT.
TEST_P(OcrExplainWaits, AWaitIsNotThatOfAnotherEdtInTheMemoryOfTheOneThatWaited) {
  if (are_elsewhere()) return;  // the EDTs are to be of one rank, which uses memory again at once
  const auto running = [] { return weir::ocr::local()->worker->frame().task.get(); };
  const ocrGuid_t waited = event_here();
  std::unique_ptr<weir::ocr::WaitNote> note;
  const weir::sched::Task* memory = nullptr;
  in_edt([&] {
    memory = running();
    note = std::make_unique<weir::ocr::WaitNote>(
        *weir::ocr::local(), weir::ocr::WaitedFor{weir::ocr::WaitedFor::What::event, weir::ocr::Guid{id_of(waited)}},
        nullptr);
  });
  const auto is_told = [&] {
    const Situation seen = weir::ocr::System::running()->explaining()->look();
    return std::any_of(seen.waits.begin(), seen.waits.end(), [&](const Wait& wait) {
      return wait.on != weir::explain::kNobody && seen.things[wait.on].id == id_of(waited);
    });
  };
  bool is_used_again = false;
  for (int i = 0; i < 1000 && !is_used_again; ++i) {
    in_edt([&] {
      is_used_again = running() == memory;
      if (is_used_again) std::thread([&] { EXPECT_FALSE(is_told()); }).join();
    });
  }
  if (!is_used_again) GTEST_SKIP() << "the memory is not used again";
}

}  // namespace explained_waits
}  // namespace
}  // namespace ocr_test
