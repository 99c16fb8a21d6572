/* SPDX-License-Identifier: Apache-2.0 */

/* What plugin.c loads. */
#include "ocr.h"

ocrGuid_t loaded(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrShutdown();
  return NULL_GUID;
}
