/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: GUIDs that a program computes from labels, so that those who share an object need not tell each other its
 * GUID. Shows under ENABLE_EXTENSION_LABELING. Create with GUID_PROP_CHECK where several create the same. */
#ifndef OCR_LABELING_H
#define OCR_LABELING_H
#ifdef ENABLE_EXTENSION_LABELING

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OCR_ANY_INT {
  GUID_USER_NONE = 0,
  GUID_USER_DB = 2,
  GUID_USER_EDT = 3,
  GUID_USER_EDT_TEMPLATE = 4,
  GUID_USER_EVENT_ONCE = 17,
  GUID_USER_EVENT_COUNTED = 18,
  GUID_USER_EVENT_IDEM = 19,
  GUID_USER_EVENT_STICKY = 21,
  GUID_USER_EVENT_LATCH = 22,
  GUID_USER_EVENT_CHANNEL = 23,
  GUID_USER_EVENT_COLLECTIVE = 24
} ocrGuidUserKind;

/* Reserves GUIDs for `numberGuid` objects of that kind; events of all types share GUIDs. OCR_EINVAL: no such kind, no
 * GUIDs, or a NULL pointer. OCR_ENOMEM. */
u8 ocrGuidRangeCreate(ocrGuid_t *rangeGuid, u64 numberGuid, ocrGuidUserKind kind);
/* The idx-th. OCR_EINVAL: no such range or index. */
u8 ocrGuidFromIndex(ocrGuid_t *outGuid, ocrGuid_t rangeGuid, u64 idx);

/* The same with a function, from a tuple to startGuid + i * skipGuid with i < numberGuid. params is copied. */
u8 ocrGuidMapCreate(ocrGuid_t *mapGuid, u32 numParams,
                    ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params, s64 *tuple), s64 *params,
                    u64 numberGuid, ocrGuidUserKind kind);
/* The map that ocrGuidFromLabel() uses for NULL_GUID. OCR_EPERM: there is one. */
u8 ocrGuidMapSetDefaultMap(u32 numParams,
                           ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params, s64 *tuple),
                           s64 *params, u64 numberGuid, ocrGuidUserKind kind);
u8 ocrGuidFromLabel(ocrGuid_t *outGuid, ocrGuid_t mapGuid, s64 *tuple);

/* Of a range, too. Objects that have its GUIDs live on; the others are no GUIDs any more. All
 * end with the program. */
u8 ocrGuidMapDestroy(ocrGuid_t mapGuid);
u8 ocrGuidRangeDestroy(ocrGuid_t rangeGuid); /* the same */

/* What the GUID is of: GUID_USER_NONE when there is no object. OCR_EINVAL: outKind is NULL. */
u8 ocrGetGuidKind(ocrGuidUserKind *outKind, ocrGuid_t guid);

#ifdef __cplusplus
}
#endif

#endif
#endif
