/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: for runtimes built on OCR. Shows under ENABLE_EXTENSION_RTITF. */
#ifndef OCR_RUNTIME_ITF_H
#define OCR_RUNTIME_ITF_H
#ifdef ENABLE_EXTENSION_RTITF

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The EDT-local storage of the calling EDT: 256 GUIDs, NULL_GUID at first. Outside of EDTs: NULL_GUID, no effect. */
ocrGuid_t ocrElsUserGet(u8 offset);
void ocrElsUserSet(u8 offset, ocrGuid_t data);
/* The same as memory of *size bytes. OCR_EINVAL: outside of EDTs, or a pointer is NULL. */
u8 ocrEdtLocalStorageGet(void **ptr, u64 *size);

/* The calling EDT, and its output event. NULL_GUID: outside of EDTs, or it has none. OCR_EINVAL: guid is NULL. */
u8 ocrCurrentEdtGet(ocrGuid_t *guid);
u8 ocrCurrentEdtOutputGet(ocrGuid_t *guid);
void currentEdtUserGet(ocrGuid_t *guid); /* as ocrCurrentEdtGet() was called before OCR 1.2 */

u64 ocrNbWorkers(void);
/* A GUID that tells workers apart. */
void ocrCurrentWorkerGuid(ocrGuid_t *guid);

/* The calling EDT can do nothing at the moment: runs another one, if there is one that is ready. */
u8 ocrInformLegacyCodeBlocking(void);

#ifdef __cplusplus
}
#endif

#endif
#endif
