// SPDX-License-Identifier: Apache-2.0

// mainEdt() of a program that has none: main_edt.hpp.
#include <cstdio>

#include "ocr/ocr.h"

extern "C" {
[[gnu::weak]] ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t[]) {
  std::fputs(
      "weir: ocr: the program defines neither mainEdt() nor main(): there is nothing to run "
      "(where a shared library has one, link that with -Wl,--no-as-needed)\n",
      stderr);
  ocrAbort(2);
  return NULL_GUID;
}
}
