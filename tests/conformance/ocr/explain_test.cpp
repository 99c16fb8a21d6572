// A program that is asked what its EDTs wait for while it runs (docs/explaining.md).
#include <atomic>
#include <thread>

#include "explain/findings.hpp"
#include "ocr/system.hpp"
#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(OcrExplain);

TEST_P(OcrExplain, AProgramThatRunsIsLookedAtAllTheTime) {
  std::atomic<bool> stop = false;
  std::atomic<int> looks = 0, ran = 0;
  std::thread looker([&] {
    weir::runtime::Explaining& explaining = *weir::ocr::System::running()->explaining();
    while (!stop) {
      const weir::explain::Situation seen = explaining.look();
      for (const weir::explain::Wait& wait : seen.waits) ASSERT_LT(wait.who, seen.things.size());
      static_cast<void>(weir::explain::find(seen));
      ++looks;
    }
  });
  constexpr int kRounds = 40, kChain = 50;
  in_edt([&] {
    for (int round = 0; round < kRounds; ++round) {
      ocrGuid_t first = event(OCR_EVENT_ONCE_T), before = first;
      for (int i = 0; i < kChain; ++i) {
        ocrGuid_t output = NULL_GUID;
        const ocrGuid_t next = edt(1,
                                   [&](u32, ocrEdtDep_t*) {
                                     ++ran;
                                     return NULL_GUID;
                                   },
                                   {EDT_PROP_NONE, &output, nullptr, nullptr});
        EXPECT_EQ(ocrAddDependence(before, next, 0, DB_MODE_NULL), 0);
        before = output;
      }
      EXPECT_EQ(ocrEventSatisfy(first, NULL_GUID), 0);
    }
  });
  while (looks == 0) std::this_thread::yield();
  stop = true;
  looker.join();
  EXPECT_EQ(ran, kRounds * kChain);
}

}  // namespace
}  // namespace ocr_test
