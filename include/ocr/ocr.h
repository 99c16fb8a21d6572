/* SPDX-License-Identifier: Apache-2.0 */

/* The OCR 1.2 API, as Weir implements it: what a program includes. docs/ocr.md says how to build and run one.
 *
 * A program defines mainEdt(), an EDT without parameters whose one dependence is the block of its arguments, and ends
 * by ocrShutdown(). In C++ it may be extern "C" or not. Functions may be called in EDTs, and on threads as
 * extensions/ocr-legacy.h says. */
#ifndef OCR_H
#define OCR_H

#ifdef OCR_TYPE_H
#define OCR_OPTIONS_TEXT(x) #x
#define OCR_OPTIONS_JOINED(x) OCR_OPTIONS_TEXT(ocr-options_##x)
#define OCR_OPTIONS_FILE(x) OCR_OPTIONS_JOINED(x)
/* The reference has such a file for each kind of machine that it is built for. None says anything that this library needs
 * to know. */
#ifdef __has_include
#if __has_include(OCR_OPTIONS_FILE(OCR_TYPE_H))
#include OCR_OPTIONS_FILE(OCR_TYPE_H)
#endif
#else
#include OCR_OPTIONS_FILE(OCR_TYPE_H)
#endif
#endif

#include "ocr-db.h"
#include "ocr-edt.h"
#include "ocr-errors.h"
#include "ocr-event.h"
#include "ocr-guid-functions.h"
#include "ocr-hint.h"
#include "ocr-std.h"
#include "ocr-types.h"
#include "ocr-version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the program with exit code 0, or `errorCode`: EDTs that have not started are dropped. The calling EDT goes on
 * to its end. */
void ocrShutdown(void);
void ocrAbort(u8 errorCode);

/* The arguments in the block that mainEdt() gets, argument 0 being the program. The text lies in the block; NULL when
 * there is no such argument. The block: their number, the offset of each from the start, the texts. */
u64 ocrGetArgc(void *dbPtr);
char *ocrGetArgv(void *dbPtr, u64 index);
/* The same, as it was called before OCR 1.2. */
u64 getArgc(void *dbPtr);
char *getArgv(void *dbPtr, u64 index);

#ifdef __cplusplus
}
#endif

#endif
