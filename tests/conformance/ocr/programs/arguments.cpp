// SPDX-License-Identifier: Apache-2.0

// In C++: prints its arguments in a later EDT, which gets the block of mainEdt(), and ends.
#include "ocr.h"

namespace {
ocrGuid_t print_edt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  for (u64 i = 1; i < ocrGetArgc(depv[0].ptr); ++i) ocrPrintf("[%s]", getArgv(depv[0].ptr, i));
  ocrPrintf(" of %lu\n", static_cast<unsigned long>(getArgc(depv[0].ptr)));
  VERIFY(ocrGetArgv(depv[0].ptr, 100000) == nullptr, "no such argument\n");
  ocrShutdown();
  return NULL_GUID;
}
}  // namespace

ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  ocrGuid_t of = NULL_GUID, edt;
  ocrEdtTemplateCreate(&of, print_edt, 0, 1);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, &depv[0].guid, EDT_PROP_NONE, NULL_HINT, nullptr);
  return NULL_GUID;
}
