/* SPDX-License-Identifier: Apache-2.0 */

/* Hints: where and how something is best done. They never change a result; unknown ones are accepted. */
#ifndef OCR_HINT_H
#define OCR_HINT_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty set of hints of that type. OCR_EINVAL: no such type. */
u8 ocrHintInit(ocrHint_t *hint, ocrHintType_t hintType);

/* OCR_EINVAL: the property is of another type. Unset and get: OCR_ENOENT when it is not set. */
u8 ocrSetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 value);
u8 ocrUnsetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp);
u8 ocrGetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 *value);
/* The same, as the specification calls them. */
u8 ocrHintSetValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 value);
u8 ocrHintUnsetValue(ocrHint_t *hint, ocrHintProp_t hintProp);
u8 ocrHintGetValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 *value);

/* The hints of an EDT, a template (for EDTs made from it later), a block or an event. Those of an EDT count until it
 * is ready. OCR_EINVAL: no such object, or hints of another type. OCR_EPERM: created with ..._PROP_NO_HINT. */
u8 ocrSetHint(ocrGuid_t guid, ocrHint_t *hint);
/* Reads those that are set into *hint, whose type is that of the object. */
u8 ocrGetHint(ocrGuid_t guid, ocrHint_t *hint);

#ifdef __cplusplus
}
#endif

#endif
