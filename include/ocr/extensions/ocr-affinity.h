/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: where EDTs and data blocks go. Shows under ENABLE_EXTENSION_AFFINITY.
 *
 * There is one affinity per domain: the cores that share a NUMA node. One given in a hint binds under scheduler
 * `numa`, and is a preference else. */
#ifndef OCR_AFFINITY_H
#define OCR_AFFINITY_H
#ifdef ENABLE_EXTENSION_AFFINITY

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OCR_ANY_INT {
  AFFINITY_CURRENT,   /* of the calling EDT */
  AFFINITY_PD,        /* all there are */
  AFFINITY_PD_MASTER, /* the first */
  AFFINITY_SIM,       /* none */
  AFFINITY_GUID       /* of one GUID: use ocrAffinityQuery() */
} ocrAffinityKind;

/* OCR_EINVAL, for all functions: no such kind, a pointer is NULL, or an index out of range. */
u8 ocrAffinityCount(ocrAffinityKind kind, u64 *count);
/* Fills at most *count entries, and sets *count to how many it filled. */
u8 ocrAffinityGet(ocrAffinityKind kind, u64 *count, ocrGuid_t *affinities);
u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 idx, ocrGuid_t *affinity);
u8 ocrAffinityGetCurrent(ocrGuid_t *affinity);
/* The affinity of any object; of one that is nowhere in particular, that of the caller. As ocrAffinityGet(); count may
 * be NULL, for one. */
u8 ocrAffinityQuery(ocrGuid_t guid, u64 *count, ocrGuid_t *affinities);
/* For ocrSetHintValue(). */
u64 ocrAffinityToHintValue(ocrGuid_t affinity);

#ifdef __cplusplus
}
#endif

#endif
#endif
