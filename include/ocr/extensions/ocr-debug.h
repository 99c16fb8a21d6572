/* SPDX-License-Identifier: Apache-2.0 */

/* Extension of OCR-Vx: labels by which its debugger shows objects. Shows under ENABLE_EXTENSION_DEBUG. Weir has no use
 * for them: these return 0 and do nothing. */
#ifndef OCR_DEBUG_H
#define OCR_DEBUG_H
#ifdef ENABLE_EXTENSION_DEBUG

#include "../ocr-types.h"

#define OCR_MAX_DEBUG_LABEL_STRLEN 16
#define OCR_MAX_DEBUG_LABEL_PARAMC 2

/* Of an object; of the one that the running EDT makes next; and that one EDT has brought about another. */
static inline u8 ocrAttachDebugLabel(ocrGuid_t object, const char *label, u32 paramc, u64 *paramv) {
  (void)object, (void)label, (void)paramc, (void)paramv;
  return 0;
}
static inline u8 ocrPreAttachDebugLabel(const char *label, u32 paramc, u64 *paramv) {
  (void)label, (void)paramc, (void)paramv;
  return 0;
}
static inline u8 ocrNoteCausality(ocrGuid_t sourceTask, ocrGuid_t destinationTask) {
  (void)sourceTask, (void)destinationTask;
  return 0;
}

#endif
#endif
