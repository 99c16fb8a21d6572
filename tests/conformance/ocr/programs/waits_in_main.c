/* SPDX-License-Identifier: Apache-2.0 */

/* A program whose own main() waits for what no one brings about. */
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-legacy.h"

int main(void) {
  ocrGuid_t context, event;
  ocrLegacyInit(&context, NULL);
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
  ocrWait(event);
  return ocrLegacyFinalize(context, false);
}
