/* SPDX-License-Identifier: Apache-2.0 */

/* A main() of its own, OCR twice, and a shutdown that is waited for. */
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-legacy.h"

static ocrGuid_t stop(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  ocrAbort((u8)paramv[0]);
  return NULL_GUID;
}

static u8 run(int argc, const char *argv[], u64 code) {
  ocrConfig_t config;
  ocrGuid_t context, of, edt;
  ocrParseArgs(argc, argv, &config);
  ocrLegacyInit(&context, &config);
  ocrEdtTemplateCreate(&of, stop, 1, 0);
  ocrEdtCreate(&edt, of, 1, &code, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return ocrLegacyFinalize(context, true);
}

int main(int argc, const char *argv[]) {
  const u8 first = run(argc, argv, 0), second = run(argc, argv, 9);
  ocrPrintf("%d %d\n", first, second);
  return first == 0 && second == 9 ? 0 : 1;
}
