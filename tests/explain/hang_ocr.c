/* SPDX-License-Identifier: Apache-2.0 */

/* OCR programs that hang: hang_ocr CASE [busy]. With busy another EDT never returns, so that the program does not end by
   itself with a report, and is there to be asked. */
#define OCR_ENABLE_EDT_NAMING
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ocr.h"

#define EDT(name) static ocrGuid_t name(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
#define UNUSED (void)paramc, (void)paramv, (void)depc, (void)depv

EDT(patient) {
  UNUSED;
  return NULL_GUID;
}

EDT(busy) {
  UNUSED;
  puts("ready");
  fflush(stdout);
  for (;;) pause();
  return NULL_GUID;
}

static ocrGuid_t template_of_patient, template_of_busy, template_of_keeper;

static ocrGuid_t edt(ocrGuid_t of) {
  ocrGuid_t made;
  ocrEdtCreate(&made, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return made;
}

static ocrGuid_t sticky(void) {
  ocrGuid_t event;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
  return event;
}

/* An event that nobody satisfies. */
static void unsatisfied(void) { ocrAddDependence(sticky(), edt(template_of_patient), 0, DB_MODE_NULL); }

/* A data block comes when an EDT has written it, which never begins. */
EDT(writer) {
  UNUSED;
  return NULL_GUID;
}
static void never_written(void) {
  ocrGuid_t of, edt_of_writer, written;
  ocrEdtTemplateCreate(&of, writer, 0, 1); /* its slot is never linked */
  ocrEdtCreate(&edt_of_writer, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &written);
  ocrAddDependence(written, edt(template_of_patient), 0, DB_MODE_RO);
}

/* Two events that wait for each other. */
static void cycle(void) {
  const ocrGuid_t first = sticky(), second = sticky();
  ocrAddDependence(second, first, 0, DB_MODE_NULL);
  ocrAddDependence(first, second, 0, DB_MODE_NULL);
  ocrAddDependence(first, edt(template_of_patient), 0, DB_MODE_NULL);
}

/* A data block that its maker never gives up. */
EDT(keeper) {
  UNUSED;
  ocrGuid_t block;
  void *address;
  ocrDbCreate(&block, &address, 1000, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  ocrAddDependence(block, edt(template_of_patient), 0, DB_MODE_EW);
  return busy(paramc, paramv, depc, depv);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const u64 count = ocrGetArgc(depv[0].ptr);
  const char *const name = count > 1 ? ocrGetArgv(depv[0].ptr, 1) : "";
  ocrEdtTemplateCreate(&template_of_patient, patient, 0, 1);
  ocrEdtTemplateCreate(&template_of_busy, busy, 0, 0);
  ocrEdtTemplateCreate(&template_of_keeper, keeper, 0, 0);
  if (strcmp(name, "unsatisfied") == 0)
    unsatisfied();
  else if (strcmp(name, "never_written") == 0)
    never_written();
  else if (strcmp(name, "cycle") == 0)
    cycle();
  else if (strcmp(name, "kept") == 0)
    edt(template_of_keeper);
  else
    ocrAbort(2);
  if (count > 2) edt(template_of_busy);
  return NULL_GUID;
}
