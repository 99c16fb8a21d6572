// SPDX-License-Identifier: Apache-2.0

// Programs that can make no progress any more, and those that only look so.
#include <unistd.h>

#include "multi/ocr/bodies.hpp"
#include "ocr/extensions/ocr-legacy.h"

namespace weir::ocr::multi {

namespace {

ocrGuid_t begins_never(u32, u64*, u32, ocrEdtDep_t*) { return kNull; }

// On the last rank an EDT waits for an event of rank 0 that nothing satisfies, and for a dependence that nothing adds.
void stuck() {
  const Made waits = make_edt(rank_count() - 1, &begins_never, {}, 2);
  expect_code(ocrAddDependence(make_event(OCR_EVENT_STICKY_T), waits.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_stuck("stuck", &stuck);

// On the last rank an EDT waits for an event of rank 0 that nothing satisfies, and for what nobody makes under a label.
void stuck_for_label() {
  ocrGuid_t range = kNull;
  expect_code(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY), 0, "ocrGuidRangeCreate()");
  const Made waits = make_edt(rank_count() - 1, &begins_never, {}, 2);
  expect_code(ocrAddDependence(label_of(range, 0), waits.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(make_event(OCR_EVENT_STICKY_T), waits.edt, 1, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_stuck_for_label("stuck-for-label", &stuck_for_label);

// An EDT on each rank waits for the event that the next would satisfy.
ocrGuid_t wait_for_next(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u8 code = ocrLegacyBlockProgress(guid_of(paramv[0]), nullptr, nullptr, nullptr, LEGACY_PROP_NONE);
  expect_code(code, OCR_ECANCELED, "ocrLegacyBlockProgress() in a program that ends");
  return kNull;
}

void stuck_inside() {
  const ocrGuid_t never = make_event(OCR_EVENT_STICKY_T);
  for (u64 rank = 0; rank < rank_count(); ++rank) make_edt(rank, &wait_for_next, {word_of(never)});
}
const Named named_stuck_inside("stuck-inside", &stuck_inside);

// An EDT holds a block of rank 0 and waits for ever; another needs it.
ocrGuid_t hold_and_wait(u32, u64* paramv, u32, ocrEdtDep_t*) {
  static_cast<void>(ocrLegacyBlockProgress(guid_of(paramv[0]), nullptr, nullptr, nullptr, LEGACY_PROP_NONE));
  return kNull;
}

void stuck_for_block() {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, 64, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  const ocrGuid_t never = make_event(OCR_EVENT_STICKY_T);
  for (u64 i = 0; i < 2; ++i) {
    const Made made = make_edt(rank_count() - 1, &hold_and_wait, {word_of(never)}, 1);
    expect_code(ocrAddDependence(block, made.edt, 0, DB_MODE_EW), 0, "ocrAddDependence()");
  }
}
const Named named_stuck_for_block("stuck-for-block", &stuck_for_block);

// All other ranks are idle, for much longer than a rank is before it is believed to stand still.
ocrGuid_t work_long(u32, u64* paramv, u32, ocrEdtDep_t*) {
  usleep(400'000);
  if (paramv[0] == 0)
    ocrShutdown();
  else
    make_edt((this_rank() + 1) % rank_count(), &work_long, {paramv[0] - 1});
  return kNull;
}

void slow() { make_edt(rank_count() - 1, &work_long, {3}); }
const Named named_slow("slow", &slow);

}  // namespace

}  // namespace weir::ocr::multi
