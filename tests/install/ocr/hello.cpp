// SPDX-License-Identifier: Apache-2.0

// An OCR program of somebody else, in C++, with labels: its EDT waits for an event that both know by its index only.
#define ENABLE_EXTENSION_LABELING
#include <ocr.h>

#include <vector>

#include "extensions/ocr-labeling.h"

namespace {

ocrGuid_t event_of(ocrGuid_t range) {
  ocrGuid_t event;
  ocrGuidFromIndex(&event, range, 3);
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
  return event;
}

ocrGuid_t last(u32, u64*, u32, ocrEdtDep_t depv[]) {
  const std::vector<int> numbers(static_cast<int*>(depv[0].ptr), static_cast<int*>(depv[0].ptr) + 3);
  ocrPrintf("C++, GUIDs of %d bits: %d\n", GUID_BIT_COUNT, numbers.at(0) + numbers.at(1) + numbers.at(2));
  ocrShutdown();
  return NULL_GUID;
}

}  // namespace

ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t[]) {
  ocrGuid_t of, edt, block, range;
  int* data = nullptr;
  ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY);
  ocrEdtTemplateCreate(&of, last, 0, 1);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
  ocrAddDependence(event_of(range), edt, 0, DB_MODE_CONST);
  ocrDbCreate(&block, reinterpret_cast<void**>(&data), 3 * sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  data[0] = 30, data[1] = 10, data[2] = 2;
  ocrDbRelease(block);
  ocrEventSatisfy(event_of(range), block);
  return NULL_GUID;
}
