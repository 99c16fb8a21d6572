// SPDX-License-Identifier: Apache-2.0

// Sources of OCR 1.0 that are compiled as C++.
extern "C" {
#include "ocr_1_0.c"
}
