/* SPDX-License-Identifier: Apache-2.0 */

/* The version of the OCR API, and which extensions the library has. */
#ifndef OCR_VERSION_H
#define OCR_VERSION_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCR_MAJOR_VERSION 1
#define OCR_MINOR_VERSION 2
#define OCR_PATCH_VERSION 0
#define OCR_VERSION "1.2.0"

/* The parts of a version text "major.minor.patch". */
u32 ocrVersionExtractMajor(u8 *version);
u32 ocrVersionExtractMinor(u8 *version);
u32 ocrVersionExtractPatch(u8 *version);
#define OCR_VERSION_GET_MAJOR(version) ocrVersionExtractMajor(version)
#define OCR_VERSION_GET_MINOR(version) ocrVersionExtractMinor(version)
#define OCR_VERSION_GET_PATCH(version) ocrVersionExtractPatch(version)

/* One bit per extension of the library; the bits are below. */
u64 ocrVersionExtensionBitmap(void);
#define OCR_VERSION_EXTENSION_BITMAP ocrVersionExtensionBitmap()

#define EXTENSION_LEGACY_BITPOS 1
#define EXTENSION_AFFINITY_BITPOS 2
#define EXTENSION_PARAMS_EVT_BITPOS 3
#define EXTENSION_COUNTED_EVT_BITPOS 4
#define EXTENSION_RTITF_BITPOS 5
#define EXTENSION_PAUSE_BITPOS 6
#define EXTENSION_LABELING_BITPOS 7
#define OCR_VERSION_LEGACY_BIT (1 << EXTENSION_LEGACY_BITPOS)
#define OCR_VERSION_AFFINITY_BIT (1 << EXTENSION_AFFINITY_BITPOS)
#define OCR_VERSION_PARAMS_EVT_BIT (1 << EXTENSION_PARAMS_EVT_BITPOS)
#define OCR_VERSION_COUNTED_EVT_BIT (1 << EXTENSION_COUNTED_EVT_BITPOS)
#define OCR_VERSION_RTITF_BIT (1 << EXTENSION_RTITF_BITPOS)
#define OCR_VERSION_PAUSE_BIT (1 << EXTENSION_PAUSE_BITPOS)
#define OCR_VERSION_LABELING_BIT (1 << EXTENSION_LABELING_BITPOS)

/* For sources that also compile with OCR 1.0, where creation took an affinity in place of a hint. */
#define PICK_1_1(hint, affinity) (hint)

#ifdef __cplusplus
}
#endif

#endif
