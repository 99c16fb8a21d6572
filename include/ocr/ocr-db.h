/* SPDX-License-Identifier: Apache-2.0 */

/* Data blocks: memory that EDTs acquire. A pointer to one is good from its acquisition (the start of an EDT, or
 * ocrDbCreate()) to its release (ocrDbRelease(), or the end of the EDT). All functions return 0 or an error code. */
#ifndef OCR_DB_H
#define OCR_DB_H

#if defined(OCR_GUID_SCALAR) && defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC system_header /* no warning, under -pedantic, of calls with an ocrHintOrAffinity_t */
#endif

#include "ocr-types.h"
#include "ocr-version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a block of `len` bytes, aligned to 8 at least, with undefined contents, and acquires it in mode RW for the
 * calling EDT: *addr points to it. With DB_PROP_NO_ACQUIRE it does not, and *addr is NULL.
 * Ignored, as by all functions that create something, are properties that it does not know and hints of another type.
 * OCR_ENOMEM: there is not that much memory; *db is NULL_GUID. OCR_EINVAL: db is NULL, addr is NULL although the block
 * is acquired, or there is no such allocator. */
u8 ocrDbCreate(ocrGuid_t *db, void **addr, u64 len, u16 flags, ocrHintOrAffinity_t hint,
               ocrInDbAllocator_t allocator);

/* The block is gone, and its label free, as soon as all EDTs that have acquired it have released it; this includes a
 * release by the caller.
 * OCR_EINVAL: no such block. OCR_EPERM: destroyed already, still held by others. */
u8 ocrDbDestroy(ocrGuid_t db);

/* The calling EDT needs the block no longer: what it wrote may be seen by others. NULL_GUID is allowed.
 * OCR_EINVAL: no such block. OCR_EACCES: the caller has not acquired it, or has released it already. */
u8 ocrDbRelease(ocrGuid_t db);
/* The same, in the words of the specification, for an EDT that goes on reading: here a release, too. */
u8 ocrDbDowngradeRelease(ocrGuid_t db);

/* Memory inside a block that was created with an allocator other than NO_ALLOC; the calling EDT has acquired it.
 * Offsets, from the start of the block, are good for others that acquire it later; addresses are not.
 * OCR_ENOMEM: no room. OCR_EINVAL: no such block, no allocator, or not something allocated. OCR_EACCES: not acquired. */
u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void **addr);
u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64 *offset);
u8 ocrDbFree(ocrGuid_t guid, void *addr);
u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset);

/* Copies bytes from `source`, a block or an event that will carry one, to the block `destination`, in an EDT of its
 * own. *completionEvt, where it is not NULL, is an event that carries the destination when the copy is done: a ONCE
 * event, which can be linked until the calling EDT ends, of the last 512 in any case; outside of EDTs a STICKY event,
 * which the caller destroys.
 * OCR_EINVAL: no such block or event. OCR_EPERM: source and destination overlap. OCR_ENOMEM: beyond the end of one.
 * When an event brings a block that is too small, nothing is copied, and standard error says so. */
u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source, u64 sourceOffset, u64 size, u64 copyType,
             ocrGuid_t *completionEvt);

#ifdef __cplusplus
}
#endif

#include "extensions/ocr-db-info.h"

#endif
