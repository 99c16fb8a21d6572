/* SPDX-License-Identifier: Apache-2.0 */

/* What -DOCR_TYPE_H=x86.h makes ocr.h include: options of the library that a program may ask for. Extensions are
 * always in the library; a program chooses which it sees by ENABLE_EXTENSION_*. */
#ifndef OCR_OPTIONS_X86_H
#define OCR_OPTIONS_X86_H

#endif
