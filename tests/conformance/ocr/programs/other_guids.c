/* SPDX-License-Identifier: Apache-2.0 */

/* A program with GUIDs of another width than the library's that makes no template, as C and as C++; with OWN_MAIN it has a
 * main() of its own. */
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-legacy.h"

#ifdef OWN_MAIN
int main(void) {
  ocrGuid_t context;
  ocrLegacyInit(&context, NULL);
  ocrPrintf("it goes on\n");
  return ocrLegacyFinalize(context, false);
}
#else
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrPrintf("%s goes on\n", ocrGetArgv(depv[0].ptr, 0));
  ocrShutdown();
  return NULL_GUID;
}
#endif
