/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: stops the workers to look at a program. Shows under ENABLE_EXTENSION_PAUSE. */
#ifndef OCR_PAUSE_H
#define OCR_PAUSE_H
#ifdef ENABLE_EXTENSION_PAUSE

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No EDT starts from now on, on any rank, until ocrResume(); returns 1 when those that run, the caller apart, have
 * ended, wait, or pause themselves. While another one pauses, on whatever rank: waits for it, or returns 0 at once
 * unless isBlocking. 0 also when the caller has paused already, or the program ends. While the caller waits for
 * something, others run. */
u32 ocrPause(bool isBlocking);
/* While paused by the caller: a new block, for the caller to destroy, with an array of GUIDs. *result points to it,
 * *size is in bytes. NULL_GUID when not paused, or when there is no such query. READY_EDTS, EVENTS (not yet satisfied),
 * ALL_EDTS, each of all ranks, and LAST_SATISFIED_DB: the blocks in the satisfied slots of EDT `guid`, of any rank. */
ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void **result, u32 *size, u8 flags);
/* `flag`: what ocrPause() returned. By the EDT that has paused, before it returns: else EDTs begin then, and standard
 * error names it. */
void ocrResume(u32 flag);
/* For tests of resilience: no effect. */
void ocrInjectFault(void);

#ifdef __cplusplus
}
#endif

#endif
#endif
