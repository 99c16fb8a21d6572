/* SPDX-License-Identifier: Apache-2.0 */

/* main() waits for an EDT and reads the block that it has returned, which is its own from then on. Nothing may be found
 * in it. With an argument it keeps the address of another block, too, which is no one's but the EDT's. */
#define ENABLE_EXTENSION_LEGACY
#include <stdio.h>

#include "ocr.h"
#include "extensions/ocr-legacy.h"

static volatile u64* kept;

static ocrGuid_t answer(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrGuid_t block, other;
  u64 *words, *others;
  ocrDbCreate(&other, (void**)&others, 4 * sizeof *words, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  others[0] = 1;
  kept = others;
  ocrDbRelease(other);
  ocrDbCreate(&block, (void**)&words, 4 * sizeof *words, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  for (int i = 0; i < 4; ++i) words[i] = 42;
  return block;
}

int main(int argc, const char* argv[]) {
  ocrConfig_t config;
  ocrGuid_t context, of, done, block;
  void* result = NULL;
  u64 size = 0, sum = 0;
  ocrParseArgs(1, argv, &config);
  ocrLegacyInit(&context, &config);
  ocrEdtTemplateCreate(&of, answer, 0, 0);
  ocrLegacySpawnOCR(&done, of, 0, NULL, 0, NULL, context);
  ocrLegacyBlockProgress(done, &block, &result, &size, LEGACY_PROP_NONE);
  for (u64 i = 0; i < size / sizeof(u64); ++i) sum += ((volatile u64*)result)[i];
  if (argc > 1) sum += kept[0]; /* FINDS kept: outside */
  ocrShutdown();
  ocrLegacyFinalize(context, true);
  printf("%llu\n", (unsigned long long)sum);
  return sum >= 4 * 42 ? 0 : 3;
}
