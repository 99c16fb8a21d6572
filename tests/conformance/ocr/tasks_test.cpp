// SPDX-License-Identifier: Apache-2.0

// Tasks of the C++ API that EDTs spawn: they are part of the EDT.
#include <weir/weir.hpp>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Tasks);

constexpr int kTasks = 100;

// Runs the body in a finish EDT, and looks how much was done when its output event fires.
int done_after(const std::function<void(std::atomic<int>&)>& body, u16 properties = EDT_PROP_FINISH) {
  std::atomic<int> done{0};
  ocrGuid_t ended = event(OCR_EVENT_STICKY_T);
  edt(0, [&](u32, ocrEdtDep_t*) { return body(done), NULL_GUID; },
      {static_cast<u16>(properties | EDT_PROP_OEVT_VALID), &ended, nullptr, nullptr});
  EXPECT_EQ(ocrLegacyBlockProgress(ended, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  return done;
}

void spawn_tasks(std::atomic<int>& done) {
  static double data[64];
  for (int i = 0; i < kTasks; ++i) weir::spawn(weir::inout(data[i % 64]), [&] { ++done; });
}
void make_edt(std::atomic<int>& done) {
  edt(0, [&](u32, ocrEdtDep_t*) { return ++done, NULL_GUID; });
}

TEST_P(Tasks, TheirEndComesBeforeThatOfTheirEdt) {
  for (const u16 properties : {EDT_PROP_FINISH, EDT_PROP_NONE}) EXPECT_EQ(done_after(&spawn_tasks, properties), kTasks);
}

TEST_P(Tasks, AreMadeBesideEdtsInAnyOrder) {
  EXPECT_EQ(done_after([](std::atomic<int>& done) { make_edt(done), spawn_tasks(done); }), kTasks + 1);
  EXPECT_EQ(done_after([](std::atomic<int>& done) { spawn_tasks(done), make_edt(done); }), kTasks + 1);
  EXPECT_EQ(done_after([](std::atomic<int>& done) {
              for (int i = 0; i < 10; ++i) make_edt(done), spawn_tasks(done);
            }),
            10 * (kTasks + 1));
}

TEST_P(Tasks, WithoutAFootprintCountAsWell) {
  EXPECT_EQ(done_after([](std::atomic<int>& done) {
              make_edt(done);
              for (int i = 0; i < kTasks; ++i) weir::spawn([&] { ++done; });
            }),
            kTasks + 1);
}

TEST_P(Tasks, MayDestroyAWatchedArrayThatOthersName) {
  std::vector<int> data(100, 1);
  std::atomic<int> sum{0};
  done_after([&](std::atomic<int>&) {
    std::atomic<bool> named{false};
    auto watched = std::make_shared<weir::Watched<int>>(data.data(), 10, 10, 10, 1, 10);
    const weir::Handle<> destroys = weir::spawn([&] {
      while (!named) std::this_thread::yield();
      watched.reset();
    });
    for (std::size_t i = 0; i < 10; ++i) {
      weir::spawn(weir::in(watched->rows(i, 1)), [&](weir::View2D<const int> v) { sum += v(0, 9); });
      weir::spawn(weir::after(destroys), weir::in(watched->rows(i, 1)),
                  [&](weir::View2D<const int> v) { sum += v(0, 0); });
    }
    named = true;
    weir::wait();
  });
  EXPECT_EQ(sum, 20);
}

TEST_P(Tasks, MayBeWaitedFor) {
  std::atomic<int> after_wait{0};
  done_after([&](std::atomic<int>& done) {
    std::atomic<int> own{0};
    make_edt(done);
    spawn_tasks(own);
    weir::wait();
    after_wait = own.load();
    spawn_tasks(own);
    weir::wait(weir::spawn([&] { ++own; }));
    weir::wait();
  });
  EXPECT_EQ(after_wait, kTasks);
}

TEST_P(Tasks, UseTheBlocksOfTheirEdt) {
  const ocrGuid_t data = block(1), ended = event(OCR_EVENT_STICKY_T);
  const ocrGuid_t holder = edt(1, [&](u32, ocrEdtDep_t* d) {
    u64* const value = static_cast<u64*>(d[0].ptr);
    for (int i = 0; i < kTasks; ++i) weir::spawn(weir::inout(*value), [value] { ++*value; });
    return NULL_GUID;
  });
  const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
    EXPECT_EQ(*static_cast<u64*>(d[0].ptr), 1u + kTasks);
    return ocrEventSatisfy(ended, NULL_GUID), NULL_GUID;
  });
  EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
  EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_EW), 0);
  wait_for(ended);
}

TEST_P(Tasks, OfAnEdtThatWaitsForThemDoNotHoldUpOthersThatWait) {
  const ocrGuid_t first = event(OCR_EVENT_STICKY_T), second = event(OCR_EVENT_STICKY_T);
  std::atomic<int> ended{0};
  in_edt([&] {
    edt(0, [&](u32, ocrEdtDep_t*) {
      std::atomic<int> done{0};
      edt(0, [&](u32, ocrEdtDep_t*) {  // may be met while the other waits for its tasks
        EXPECT_EQ(ocrLegacyBlockProgress(first, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
        return ++ended, ocrEventSatisfy(second, NULL_GUID), NULL_GUID;
      });
      for (int i = 0; i < kTasks; ++i) weir::spawn([&] { ++done; });
      weir::wait();
      EXPECT_EQ(done, kTasks);
      ocrEventSatisfy(first, NULL_GUID);
      EXPECT_EQ(ocrLegacyBlockProgress(second, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      return ++ended, NULL_GUID;
    });
  });
  EXPECT_EQ(ended, 2);
}

TEST_P(Tasks, MaySatisfyWhatTheirEdtWaitsFor) {
  in_edt([&] {
    const ocrGuid_t come = event(OCR_EVENT_STICKY_T);
    weir::spawn([come] { ocrEventSatisfy(come, NULL_GUID); });
    EXPECT_EQ(ocrLegacyBlockProgress(come, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  });
}

// A chain of EDTs, each made by the one before.
void make_chain(std::atomic<int>& done, int length) {
  edt(0, [&done, length](u32, ocrEdtDep_t*) {
    std::this_thread::yield();
    ++done;
    if (length > 1) make_chain(done, length - 1);
    return NULL_GUID;
  });
}

TEST_P(Tasks, EdtsThatTheyMakeBelongToTheFinishScope) {
  EXPECT_EQ(done_after([](std::atomic<int>& done) {
              for (int i = 0; i < 10; ++i) weir::spawn([&] { make_chain(done, 20); });
            }),
            200);
}

TEST_P(Tasks, EdtsThatTheirChildrenMakeDoTooWhoeverOpensTheScope) {
  EXPECT_EQ(done_after([](std::atomic<int>& done) {
              static double data[4];
              for (int i = 0; i < 8; ++i) {
                weir::spawn(weir::inout(data[i % 4]), [&] { weir::spawn([&] { make_chain(done, 10); }); });
                make_chain(done, 10);
              }
            }),
            160);
}

TEST_P(Tasks, OfAnEdtWithinAFinishScopeMakeTheirsInThatScope) {
  EXPECT_EQ(done_after([](std::atomic<int>& done) {
              edt(0, [&](u32, ocrEdtDep_t*) {
                for (int i = 0; i < 10; ++i) weir::spawn([&] { make_chain(done, 10); });
                return NULL_GUID;
              });
            }),
            100);
}

// The EDT gives its blocks up when its tasks have ended, not when its finish scope has.
TEST_P(Tasks, MayMakeAnEdtThatNeedsTheBlockOfTheirs) {
  const ocrGuid_t data = block(1), ended = event(OCR_EVENT_STICKY_T);
  ocrGuid_t output = ended;
  std::atomic<u64> seen{0};
  const ocrGuid_t holder =
      edt(1,
          [&](u32, ocrEdtDep_t* d) {
            u64* const value = static_cast<u64*>(d[0].ptr);
            weir::spawn([&, value] {
              const ocrGuid_t next =
                  edt(1, [&](u32, ocrEdtDep_t* n) { return seen = *static_cast<u64*>(n[0].ptr), NULL_GUID; });
              EXPECT_EQ(ocrAddDependence(data, next, 0, DB_MODE_EW), 0);
              *value = 5;
            });
            return NULL_GUID;
          },
          {EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &output, nullptr, nullptr});
  EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
  wait_for(ended);
  EXPECT_EQ(seen, 5u);
}

// More than there can be threads that wait.
TEST_P(Tasks, OfThousandsOfEdtsThatEndLaterNeedNoThreads) {
  constexpr int kEdts = 3000;
  std::mutex mutex;
  std::vector<weir::Completion> all;
  std::atomic<int> ended{0};
  const ocrGuid_t over = event(OCR_EVENT_LATCH_T);
  const ocrGuid_t done = event(OCR_EVENT_STICKY_T);  // the latch is gone once it is over
  EXPECT_EQ(ocrAddDependence(over, done, 0, DB_MODE_NULL), 0);
  for (int i = 0; i < kEdts; ++i) EXPECT_EQ(ocrEventSatisfySlot(over, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
  for (int i = 0; i < kEdts; ++i) {
    ocrGuid_t output = event(OCR_EVENT_STICKY_T);
    const ocrGuid_t after = edt(1, [&](u32, ocrEdtDep_t*) {
      return ++ended, ocrEventSatisfySlot(over, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    edt(0,
        [&](u32, ocrEdtDep_t*) {
          const std::lock_guard lock(mutex);
          all.push_back(weir::end_later());
          return NULL_GUID;
        },
        {EDT_PROP_OEVT_VALID, &output, nullptr, nullptr});
  }
  std::thread device([&] {
    for (bool there = false; !there; std::this_thread::yield()) {
      const std::lock_guard lock(mutex);
      there = all.size() == kEdts;
    }
    EXPECT_EQ(ended, 0);
    for (weir::Completion& each : all) each.complete();
  });
  EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  device.join();
  EXPECT_EQ(ended, kEdts);
}

TEST_P(Tasks, AnEdtThatEndsLaterHoldsItsBlockUntilThen) {
  for (const u16 properties : {EDT_PROP_FINISH, EDT_PROP_NONE}) {
    const ocrGuid_t data = block(1), ended = event(OCR_EVENT_STICKY_T);
    std::thread device;
    std::atomic<bool> go{false};
    const ocrGuid_t holder = edt(1,
                                 [&](u32, ocrEdtDep_t* d) {
                                   u64* const value = static_cast<u64*>(d[0].ptr);
                                   edt(0, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
                                   device = std::thread([&, value, mine = weir::end_later()]() mutable {
                                     while (!go) std::this_thread::yield();
                                     *value = 9;
                                     mine.complete();
                                   });
                                   return NULL_GUID;
                                 },
                                 {properties, nullptr, nullptr, nullptr});
    const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(*static_cast<u64*>(d[0].ptr), 9u);
      return ocrEventSatisfy(ended, NULL_GUID), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
    EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_EW), 0);
    go = true;
    wait_for(ended);
    device.join();
  }
}

TEST_P(Tasks, ForkAndJoinInEdts) {
  std::atomic<int> sum{0};
  in_edt([&] {
    edt(0, [&](u32, ocrEdtDep_t*) {
      weir::parallel_for(0, 1000, 16, [&](int first, int last) {
        for (int i = first; i < last; ++i) sum += i;
      });
      return NULL_GUID;
    });
  });
  EXPECT_EQ(sum, 999 * 500);
}

}  // namespace
}  // namespace ocr_test
