/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: what a data block is. Shows under ENABLE_EXTENSION_DB_INFO. */
#ifndef OCR_DB_INFO_H
#define OCR_DB_INFO_H
#ifdef ENABLE_EXTENSION_DB_INFO

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The size in bytes of a block that the calling EDT has acquired. OCR_EINVAL: no such block, or size is NULL.
 * OCR_EACCES: not acquired. */
u8 ocrDbGetSize(ocrGuid_t db, u64 *size);

#ifdef __cplusplus
}
#endif

#endif
#endif
