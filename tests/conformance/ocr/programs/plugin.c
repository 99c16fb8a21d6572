/* SPDX-License-Identifier: Apache-2.0 */

/* The first rank loads the library that the argument names, and makes an EDT of its function on the last rank. */
#define ENABLE_EXTENSION_AFFINITY
#define OCR_ENABLE_EDT_NAMING
#include <dlfcn.h>

#include "ocr.h"
#include "extensions/ocr-affinity.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  void *const library = dlopen(ocrGetArgv(depv[0].ptr, 1), RTLD_NOW);
  ocrEdt_t loaded;
  ocrGuid_t where, of, edt;
  ocrHint_t hint;
  u64 count = 1;
  (void)paramc, (void)paramv, (void)depc;
  if (library == NULL) ocrAbort(3);
  *(void **)&loaded = dlsym(library, "loaded");
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, count - 1, &where);
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(where));
  ocrEdtTemplateCreate(&of, loaded, 0, 0);
  ocrEdtCreate(&edt, of, 0, NULL, 0, NULL, EDT_PROP_NONE, &hint, NULL);
  return NULL_GUID;
}
