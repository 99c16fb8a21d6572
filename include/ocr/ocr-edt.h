/* SPDX-License-Identifier: Apache-2.0 */

/* Event-driven tasks (EDTs), their templates, and dependences. */
#ifndef OCR_EDT_H
#define OCR_EDT_H

#if defined(OCR_GUID_SCALAR) && defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC system_header /* no warning, under -pedantic, of calls with an ocrHintOrAffinity_t */
#endif

#include "ocr-event.h"
#include "ocr-types.h"
#include "ocr-version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With GUIDs of two words, another symbol: a program links with the library for its own GUIDs only. The name in the
 * source is the same, so a program may have a macro of that name. */
#if !defined(OCR_ENABLE_128_BIT_GUID)
#define OCR_SYMBOL_OF_ITS_GUIDS(name)
#elif defined(__GNUC__)
#define OCR_SYMBOL_OF_ITS_GUIDS(name) __asm__(name)
#else
#define OCR_SYMBOL_OF_ITS_GUIDS(name)
#define ocrEdtTemplateCreate_internal ocrEdtTemplateCreate_with_128_bit_guids
#endif

/* Makes a template: a function, and how many parameters and dependences its EDTs have, or EDT_PARAM_UNK. The name, a
 * text that may be NULL, is for messages; it is copied. OCR_EINVAL: guid or funcPtr is NULL, or EDT_PARAM_DEF. */
u8 ocrEdtTemplateCreate_internal(ocrGuid_t *guid, ocrEdt_t funcPtr, u32 paramc, u32 depc, const char *funcName)
    OCR_SYMBOL_OF_ITS_GUIDS("ocrEdtTemplateCreate_with_128_bit_guids");
#if defined(OCR_ENABLE_EDT_NAMING) || defined(OCR_TRACE_BINARY)
#define ocrEdtTemplateCreate(guid, funcPtr, paramc, depc) \
  ocrEdtTemplateCreate_internal((guid), (funcPtr), (paramc), (depc), #funcPtr)
#else
#define ocrEdtTemplateCreate(guid, funcPtr, paramc, depc) \
  ocrEdtTemplateCreate_internal((guid), (funcPtr), (paramc), (depc), NULL)
#endif

/* EDTs made from it are not affected. OCR_EINVAL: no such template. */
u8 ocrEdtTemplateDestroy(ocrGuid_t guid);

/* Makes an EDT. It runs when all its `depc` slots are satisfied, and may run before this returns.
 *
 * paramv is copied; it is NULL when there are no parameters. depv is NULL, or gives for each slot a block (acquired in
 * mode RW), an event, NULL_GUID (satisfied) or UNINITIALIZED_GUID (ocrAddDependence() follows). guid may be NULL when
 * depv gives all. outputEvent may be NULL; else it is set to an event that carries what the EDT returns, or, with
 * EDT_PROP_OEVT_VALID, names one. An event that was set is destroyed when it is satisfied: link to it before the EDT
 * can run.
 * OCR_EINVAL: no such template, counts that are not those of the template or unknown, paramv and paramc at odds, an
 * output event that is none or collective, or an entry of depv that is none of these. OCR_EPERM: guid is NULL, and depv
 * leaves a slot open, so that it could never run. OCR_ENOMEM. Labels as for ocrEventCreate(); a labelled EDT takes
 * no depv. When it fails nothing is made, and *guid is NULL_GUID or the label. */
u8 ocrEdtCreate(ocrGuid_t *guid, ocrGuid_t templateGuid, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *depv,
                u16 properties, ocrHintOrAffinity_t hint, ocrGuid_t *outputEvent);

/* For an EDT that will not run: it counts as ended for the finish EDT around it. OCR_EINVAL: no such EDT; it may have
 * ended. OCR_EPERM: it is ready to run, or runs. */
u8 ocrEdtDestroy(ocrGuid_t guid);

/* Makes slot `slot` of the EDT or event `destination` depend on `source`: an event, or a block or NULL_GUID, which
 * satisfies it at once. `mode` is how an EDT acquires the block. From NULL_GUID to NULL_GUID it does nothing.
 * OCR_EINVAL: no such object, no such slot, or no such mode. OCR_EPERM: the slot has a source already, or the two
 * cannot be linked. */
u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode);

#ifdef ENABLE_EXTENSION_MULTI_OUTPUT_SLOT
/* The same for one of several outputs of `source`: of a collective event, the result as its contributor `sslot` gets
 * it, of the generation after that of its last call; of any other event, 0. OCR_EPERM also: that generation is maxGen
 * ahead of those that are complete, or so far behind them that its result is gone. */
u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sslot, ocrGuid_t destination, u32 dslot, ocrDbAccessMode_t mode);
#endif

#ifdef __cplusplus
}
#endif

#endif
