/* SPDX-License-Identifier: Apache-2.0 */

/* An application as a library, which the program is linked with. */
#include "ocr.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  PRINTF("mainEdt() in a library\n");
  ocrShutdown();
  return NULL_GUID;
}
