/* SPDX-License-Identifier: Apache-2.0 */

/* Comparing and printing GUIDs. printf("a GUID " GUIDF "\n", GUIDA(guid)) prints one. */
#ifndef OCR_GUID_FUNCTIONS_H
#define OCR_GUID_FUNCTIONS_H

#include "ocr-types.h"

#define GUIDF "0x%" PRIxPTR

#if defined(OCR_GUID_SCALAR)
#define GUIDA(v) (v)
static inline bool ocrGuidIsEq(ocrGuid_t g1, ocrGuid_t g2) { return g1 == g2; }
static inline bool ocrGuidIsLt(ocrGuid_t g1, ocrGuid_t g2) { return g1 < g2; }
static inline bool ocrGuidIsNull(ocrGuid_t guid) { return guid == 0; }
static inline bool ocrGuidIsUninitialized(ocrGuid_t guid) { return guid == -2; }
static inline bool ocrGuidIsError(ocrGuid_t guid) { return guid == -1; }
#elif defined(OCR_ENABLE_128_BIT_GUID)
#define GUIDA(v) ((v).lower)
static inline bool ocrGuidIsEq(ocrGuid_t g1, ocrGuid_t g2) { return g1.lower == g2.lower && g1.upper == g2.upper; }
static inline bool ocrGuidIsLt(ocrGuid_t g1, ocrGuid_t g2) {
  return g1.upper != g2.upper ? g1.upper < g2.upper : g1.lower < g2.lower;
}
static inline bool ocrGuidIsNull(ocrGuid_t guid) { return guid.lower == 0 && guid.upper == 0; }
static inline bool ocrGuidIsUninitialized(ocrGuid_t guid) { return guid.lower == -2 && guid.upper == -2; }
static inline bool ocrGuidIsError(ocrGuid_t guid) { return guid.lower == -1 && guid.upper == -1; }
#else
#define GUIDA(v) ((v).guid)
static inline bool ocrGuidIsEq(ocrGuid_t g1, ocrGuid_t g2) { return g1.guid == g2.guid; }
static inline bool ocrGuidIsLt(ocrGuid_t g1, ocrGuid_t g2) { return g1.guid < g2.guid; }
static inline bool ocrGuidIsNull(ocrGuid_t guid) { return guid.guid == 0; }
static inline bool ocrGuidIsUninitialized(ocrGuid_t guid) { return guid.guid == -2; }
static inline bool ocrGuidIsError(ocrGuid_t guid) { return guid.guid == -1; }
#endif

/* Names of OCR before 1.2. */
static inline bool IS_GUID_NULL(ocrGuid_t guid) { return ocrGuidIsNull(guid); }
static inline bool IS_GUID_UNINITIALIZED(ocrGuid_t guid) { return ocrGuidIsUninitialized(guid); }
static inline bool IS_GUID_ERROR(ocrGuid_t guid) { return ocrGuidIsError(guid); }
static inline bool IS_GUID_EQUAL(ocrGuid_t g1, ocrGuid_t g2) { return ocrGuidIsEq(g1, g2); }
static inline bool IS_GUID_LESS_THAN(ocrGuid_t g1, ocrGuid_t g2) { return ocrGuidIsLt(g1, g2); }
#define GUID_ASSIGN_VALUE(g1, g2) ((g1) = (g2))
#define GUIDSx GUIDF
#define GUIDLx GUIDF
#define GUIDFS(g) GUIDA(g)
#define GUIDFL(g) GUIDA(g)
#define GUID_SIZE(guid) (sizeof(guid) * 8)

#endif
