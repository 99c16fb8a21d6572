/* SPDX-License-Identifier: Apache-2.0 */

/* Over ranks: which of them has what a program makes. */
#ifndef WEIR_TESTS_MULTI_CHECKPOINT_PLACE_H
#define WEIR_TESTS_MULTI_CHECKPOINT_PLACE_H

#include <extensions/ocr-affinity.h>
#include <ocr.h>

/* What is made with that hint is on a rank that follows from the number. */
static ocrHint_t *place(ocrHint_t *hint, ocrHintType_t type, u64 number) {
  u64 count = 0;
  ocrGuid_t affinity;
  ocrHintInit(hint, type);
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, number % count, &affinity);
  ocrSetHintValue(hint, type == OCR_HINT_EDT_T ? OCR_HINT_EDT_AFFINITY : OCR_HINT_DB_AFFINITY,
                  ocrAffinityToHintValue(affinity));
  return hint;
}

#endif
