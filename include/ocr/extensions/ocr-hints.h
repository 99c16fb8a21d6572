/* SPDX-License-Identifier: Apache-2.0 */

/* Hints are part of the core since OCR 1.2; this is where they were before. */
#include "../ocr-hint.h"
