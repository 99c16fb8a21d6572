/* SPDX-License-Identifier: Apache-2.0 */

/* Without OCR_ASSERT its argument is not even evaluated. */
#include "ocr.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  int evaluated = 0;
  ocrAssert(++evaluated == 2);
  ASSERT(++evaluated == 3);
  VERIFY(evaluated == 0, "not evaluated\n");
  ocrShutdown();
  return NULL_GUID;
}
