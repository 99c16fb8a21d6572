/* SPDX-License-Identifier: Apache-2.0 */

/* A program with its own main(), as OCR 1.0 called it: ocr-legacy.h has the functions, which show without a switch here,
 * and the contract. Between ocrInit() and ocrFinalize() there is one program. Call both in one file of the program. */
#ifndef OCR_LIB_H
#define OCR_LIB_H

#ifdef ENABLE_EXTENSION_LEGACY
#include "ocr-legacy.h"
#else
#define ENABLE_EXTENSION_LEGACY
#include "ocr-legacy.h"
#undef ENABLE_EXTENSION_LEGACY
#endif

static inline ocrGuid_t *ocrLibContext(void) {
  static ocrGuid_t context;
  return &context;
}
/* Starts the workers, as ocrLegacyInit(). */
static inline void ocrInit(ocrConfig_t *ocrConfig) { ocrLegacyInit(ocrLibContext(), ocrConfig); }
/* Waits until ocrShutdown() was called, and stops the workers. */
static inline void ocrFinalize(void) { (void)ocrLegacyFinalize(*ocrLibContext(), TRUE); }

#endif
