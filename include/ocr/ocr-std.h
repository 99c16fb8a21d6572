/* SPDX-License-Identifier: Apache-2.0 */

/* Printing, and checks that a program makes of itself. */
#ifndef OCR_STD_H
#define OCR_STD_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As printf(), of any length; what one call prints is not mixed with what others print. */
u32 ocrPrintf(const char *fmt, ...);
/* The same, as it was called before OCR 1.2. */
u32 PRINTF(const char *fmt, ...);
/* As snprintf(). */
u32 SNPRINTF(char *buf, u32 size, const char *fmt, ...);

/* Unless `ok`: prints the text and the place, and ends the program with an error. */
void _ocrAssert(bool ok, const char *text, const char *file, u32 line);
/* Prints PASSED or FAILURE, the place, and what `fmt` says, as one print. */
void _ocrVerify(bool ok, const char *file, u32 line, const char *fmt, ...);

#ifdef __cplusplus
}
#endif

/* Nothing, not even evaluated, unless OCR_ASSERT is defined. */
#ifdef OCR_ASSERT
#define ocrAssert(a)                                         \
  do {                                                       \
    _ocrAssert((bool)((a) != 0), #a, __FILE__, __LINE__);    \
  } while (0);
#else
#define ocrAssert(a)
#endif
#ifndef ASSERT
#define ASSERT(a) \
  do {            \
    ocrAssert(a)  \
  } while (0);
#endif

/* C++98 has no such macros, but compilers do. */
#if defined(__GNUC__) && defined(__cplusplus) && __cplusplus < 201103L
#pragma GCC system_header
#endif
/* VERIFY(condition, format, ...): prints PASSED or FAILURE, the place, and the message. */
#define VERIFY(cond, ...)                                                \
  do {                                                                   \
    _ocrVerify((bool)((cond) ? 1 : 0), __FILE__, __LINE__, __VA_ARGS__); \
  } while (0);

#endif
