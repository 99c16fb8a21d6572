/* SPDX-License-Identifier: Apache-2.0 */

/* What EDTs wait for within their functions, and no one brings about: waits_within CASE. */
#define OCR_ENABLE_EDT_NAMING
#define ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LEGACY
#include <string.h>

#include "ocr.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"

enum { kEvents = 3, kWords = sizeof(ocrGuid_t) / sizeof(u64) };
#define EDT(name) static ocrGuid_t name(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
#define UNUSED (void)paramc, (void)paramv, (void)depc, (void)depv

static ocrGuid_t made(ocrGuid_t of, ocrGuid_t *params, u32 count, u32 depc, ocrGuid_t *output) {
  ocrGuid_t edt;
  ocrEdtCreate(&edt, of, count * kWords, (u64 *)params, depc, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, output);
  return edt;
}
static ocrGuid_t template_of(ocrEdt_t function, const char *name, u32 params, u32 depc) {
  ocrGuid_t of;
  ocrEdtTemplateCreate_internal(&of, function, params * kWords, depc, name);
  return of;
}
static ocrGuid_t sticky(void) {
  ocrGuid_t event;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
  return event;
}

EDT(second) {
  UNUSED;
  return NULL_GUID;
}
EDT(waiter) {
  UNUSED;
  ocrWait(*(ocrGuid_t *)paramv);
  return NULL_GUID;
}

/* The waiter waits for the end of an EDT that depends on the end of the waiter. */
static void circle(void) {
  ocrGuid_t of_waiter = sticky(), of_second = sticky();
  const ocrGuid_t edt = made(template_of(second, "second", 0, 1), NULL, 0, 1, &of_second);
  ocrAddDependence(of_waiter, edt, 0, DB_MODE_NULL);
  made(template_of(waiter, "waiter", 1, 0), &of_second, 1, 0, &of_waiter);
}

/* Parameters: an event to satisfy, one to wait for, and one that brings the other's block. */
EDT(one) {
  (void)paramc, (void)depc, (void)depv;
  ocrGuid_t *const events = (ocrGuid_t *)paramv;
  u64 size;
  ocrEventSatisfy(events[0], NULL_GUID);
  ocrWait(events[1]);
  ocrLegacyBlockProgress(events[2], NULL, NULL, &size, LEGACY_PROP_NONE);
  return NULL_GUID;
}
EDT(other) { return one(paramc, paramv, depc, depv); }

/* Two EDTs that have a block each, and wait for that of the other. */
static void blocks(void) {
  ocrGuid_t block[2], begun[2], brings[2];
  for (int i = 0; i < 2; ++i) {
    void *address;
    ocrDbCreate(&block[i], &address, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    ocrDbRelease(block[i]);
    begun[i] = sticky(), brings[i] = sticky();
  }
  for (int i = 0; i < 2; ++i) {
    ocrGuid_t params[kEvents] = {begun[i], begun[1 - i], brings[i]}, output = sticky();
    ocrEventSatisfy(brings[i], block[1 - i]);
    const ocrGuid_t of = i == 0 ? template_of(one, "one", kEvents, 1) : template_of(other, "other", kEvents, 1);
    ocrAddDependence(block[i], made(of, params, kEvents, 1, &output), 0, DB_MODE_EW);
  }
}

/* An event is made under a label that another one has. */
EDT(maker) {
  (void)paramc, (void)depc, (void)depv;
  ocrGuid_t label = *(ocrGuid_t *)paramv;
  ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK);
  return NULL_GUID;
}
static void label(void) {
  ocrGuid_t range, event, output = sticky();
  ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY);
  ocrGuidFromIndex(&event, range, 0);
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK);
  made(template_of(maker, "maker", 1, 0), &event, 1, 0, &output);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const char *const name = ocrGetArgv(depv[0].ptr, 1);
  if (strcmp(name, "circle") == 0) circle();
  if (strcmp(name, "blocks") == 0) blocks();
  if (strcmp(name, "label") == 0) label();
  return NULL_GUID;
}
