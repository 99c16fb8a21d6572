// SPDX-License-Identifier: Apache-2.0

#include "ocr_test.hpp"

#include <memory>
#include <mutex>

namespace ocr_test {

namespace {

// Of the test's EDTs; some never run.
struct Bodies {
  std::mutex mutex;
  std::vector<std::unique_ptr<Body>> all;  // guarded by mutex
};
Bodies& bodies() {
  static Bodies the_bodies;
  return the_bodies;
}

Body* keep(Body body) {
  const std::lock_guard lock(bodies().mutex);
  return bodies().all.emplace_back(std::make_unique<Body>(std::move(body))).get();
}

ocrGuid_t run_body(u32, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  return (*reinterpret_cast<Body*>(paramv[0]))(depc, depv);
}

}  // namespace

ocrGuid_t edt(u32 depc, Body body, EdtOptions options) {
  ocrGuid_t edt_template, made = NULL_GUID;
  EXPECT_EQ(ocrEdtTemplateCreate(&edt_template, &run_body, 1, EDT_PARAM_UNK), 0);
  u64 paramv[] = {reinterpret_cast<u64>(keep(std::move(body)))};
  std::vector<ocrGuid_t> depv;
  if (options.depv != nullptr) depv = *options.depv;
  EXPECT_EQ(ocrEdtCreate(&made, edt_template, 1, paramv, depc, options.depv == nullptr ? nullptr : depv.data(),
                         options.properties, options.hint, options.output),
            0);
  EXPECT_EQ(ocrEdtTemplateDestroy(edt_template), 0);
  return made;
}

void forget_bodies() { bodies().all.clear(); }

ocrGuid_t OcrTest::wait_for(ocrGuid_t sticky) {
  ocrGuid_t carried = NULL_GUID;
  EXPECT_EQ(ocrLegacyBlockProgress(sticky, &carried, nullptr, nullptr, LEGACY_PROP_NONE), 0);
  return carried;
}

void OcrTest::in_edt(const std::function<void()>& body) {
  ocrGuid_t done = event(OCR_EVENT_STICKY_T);
  const Body wrapped = [&body](u32, ocrEdtDep_t*) {
    body();
    return NULL_GUID;
  };
  edt(0, wrapped, {EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &done, nullptr, nullptr});
  wait_for(done);
  EXPECT_EQ(ocrEventDestroy(done), 0);
}

}  // namespace ocr_test
