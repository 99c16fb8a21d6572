/* SPDX-License-Identifier: Apache-2.0 */

/* Ends with the code given as its argument. */
#include <stdlib.h>

#include "ocr.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrPrintf("argc %d, first %s\n", (int)((u64 *)depv[0].ptr)[0], (char *)depv[0].ptr + ((u64 *)depv[0].ptr)[2]);
  ocrAbort((u8)atoi(ocrGetArgv(depv[0].ptr, 1)));
  return NULL_GUID;
}
