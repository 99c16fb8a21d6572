/* SPDX-License-Identifier: Apache-2.0 */

/* Extension: OCR in a program with its own main(). Shows under ENABLE_EXTENSION_LEGACY.
 *
 * Between ocrLegacyInit() and ocrLegacyFinalize() the thread that called them may call the functions of OCR outside of
 * EDTs. It counts as a worker: EDTs run in its place while it is in ocrLegacyBlockProgress(), and on it while it is in
 * ocrLegacyFinalize(). */
#if defined(ENABLE_EXTENSION_LEGACY) && !defined(OCR_LEGACY_H)
#define OCR_LEGACY_H

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _ocrConfig_t {
  int userArgc; /* the arguments without those for OCR */
  char **userArgv;
  const char *iniFile; /* after -ocr:cfg, or OCR_CONFIG in the environment; or NULL */
} ocrConfig_t;

/* Fills *ocrConfig. The array userArgv lasts as long as the process. -ocr:cfg without a file ends the program, with exit
 * code 2. */
void ocrParseArgs(int argc, const char *argv[], ocrConfig_t *ocrConfig);
/* Starts the workers. A configuration that cannot be used ends the program, with exit code 2. */
void ocrLegacyInit(ocrGuid_t *legacyContext, ocrConfig_t *ocrConfig);
/* Stops the workers: at once, EDTs not yet run being dropped, or when ocrShutdown() was called. Returns 0, or what
 * ocrAbort() was given. OCR_EINVAL: no such context. OCR_EPERM: in an EDT. */
u8 ocrLegacyFinalize(ocrGuid_t legacyContext, bool runUntilShutdown);

/* Makes a finish EDT. *handle is a STICKY event satisfied by what it returns when all is done; destroy it afterwards.
 * Codes as of ocrEdtCreate(). OCR_EPERM: depv leaves a slot open; when it fails *handle is NULL_GUID. */
u8 ocrLegacySpawnOCR(ocrGuid_t *handle, ocrGuid_t finishEdtTemplate, u64 paramc, u64 *paramv, u64 depc,
                     ocrGuid_t *depv, ocrGuid_t legacyContext);
/* Waits until the event is satisfied, while others run EDTs; also inside an EDT. What is not NULL is set: the block,
 * acquired in mode RW (outside of EDTs: until it is destroyed), its data, its size. Not for ONCE and LATCH events. In an
 * EDT that gets its data or size, it waits until others that hold the block allow that mode; one that the EDT holds
 * already stays in its mode. OCR_EINVAL: no such event; see LEGACY_PROP_*. OCR_ECANCELED: the program is shutting
 * down. */
u8 ocrLegacyBlockProgress(ocrGuid_t handle, ocrGuid_t *guid, void **result, u64 *size, u16 properties);
#define LEGACY_BLOCK_PROGRESS_5_ARGS 1
/* As ocrLegacyBlockProgress(), and returns the block. */
ocrGuid_t ocrWait(ocrGuid_t outputEvent);
/* A channel event has a satisfaction waiting. */
bool ocrLegacyIsChannelReady(ocrGuid_t channel);

#ifdef __cplusplus
}
#endif

#endif
