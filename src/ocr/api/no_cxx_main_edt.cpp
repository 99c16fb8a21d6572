// SPDX-License-Identifier: Apache-2.0

// mainEdt() in C++ of a program that has none: that of C (main_edt.hpp). That has the same types: one file cannot
// declare both by their names.
#include "ocr/ocr.h"

extern "C" ocrGuid_t main_edt_of_c(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) __asm__("mainEdt");

[[gnu::weak]] ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  return main_edt_of_c(paramc, paramv, depc, depv);
}
