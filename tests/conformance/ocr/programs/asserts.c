/* SPDX-License-Identifier: Apache-2.0 */

/* ocrAssert() of a program that has it on: nothing when right, the end when wrong. */
#define OCR_ASSERT
#include "ocr.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  int evaluated = 0;
  ocrAssert(++evaluated == 1);
  ASSERT(++evaluated == 2);
  VERIFY(evaluated == 1, "and the program goes on\n");
  VERIFY(evaluated == 2, "twice\n");
  ocrAssert(ocrGetArgc(depv[0].ptr) != 2);
  ocrShutdown();
  return NULL_GUID;
}
