/* SPDX-License-Identifier: Apache-2.0 */

/* Small OCR programs with one mistake each, chosen by the first argument, and, with a second one, `right`, without it:
 * what check_test.py runs under `weir check`. The line that is to be found is marked with `FINDS <case>: <kind>`; of
 * `unordered` both lines. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "ocr.h"

enum { kWords = 16, kPart = 4, kParts = 3 };

static int right;
static volatile u64 sink;

#define EDT(name) static ocrGuid_t name(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[])

static ocrGuid_t make(ocrEdt_t function, u16 flags, u64 param, u32 depc, ocrGuid_t* done) {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, function, 1, depc);
  ocrEdtCreate(&edt, of, 1, &param, depc, NULL, flags, NULL_HINT, done);
  ocrEdtTemplateDestroy(of);
  return edt;
}

static void run(ocrEdt_t function, u64 param, ocrGuid_t block, ocrDbAccessMode_t mode) {
  ocrAddDependence(block, make(function, EDT_PROP_NONE, param, 1, NULL), 0, mode);
}

/* All its words are 1. `at`: where it is, for EDTs that have no right to know. */
static ocrGuid_t filled_block(u64* at) {
  ocrGuid_t block;
  u64* words;
  ocrDbCreate(&block, (void**)&words, kWords * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  for (int i = 0; i < kWords; ++i) words[i] = 1;
  ocrDbRelease(block);
  if (at != NULL) *at = (u64)(uintptr_t)words;
  return block;
}

EDT(write_ro_edt) {
  u64* const words = depv[0].ptr;
  words[1] = words[0]; /* FINDS write_ro: wrong-mode */
  return NULL_GUID;
}
EDT(write_ro) {
  run(write_ro_edt, 0, filled_block(NULL), right ? DB_MODE_RW : DB_MODE_RO);
  return NULL_GUID;
}

EDT(write_const_edt) {
  u64* const words = depv[0].ptr;
  memset(words + 1, 0, sizeof *words); /* FINDS write_const: wrong-mode */
  return NULL_GUID;
}
EDT(write_const) {
  run(write_const_edt, 0, filled_block(NULL), right ? DB_MODE_EW : DB_MODE_CONST);
  return NULL_GUID;
}

EDT(forgotten_block_edt) {
  u64* const sum = depv[0].ptr;
  const u64* const more = right ? depv[1].ptr : (const u64*)(uintptr_t)paramv[0];
  sum[0] += more[3]; /* FINDS forgotten_block: undeclared */
  return NULL_GUID;
}
EDT(forgotten_block) {
  u64 at;
  const ocrGuid_t sum = filled_block(NULL), more = filled_block(&at);
  const ocrGuid_t edt = make(forgotten_block_edt, EDT_PROP_NONE, at, right ? 2 : 1, NULL);
  if (right) ocrAddDependence(more, edt, 1, DB_MODE_RO);
  ocrAddDependence(sum, edt, 0, DB_MODE_RW);
  return NULL_GUID;
}

EDT(beyond_block_edt) {
  u64* const words = depv[0].ptr;
  for (int i = 0; i < kWords + !right; ++i) words[i] = 2; /* FINDS beyond_block: beyond */
  return NULL_GUID;
}
EDT(beyond_block) {
  run(beyond_block_edt, 0, filled_block(NULL), DB_MODE_RW);
  return NULL_GUID;
}

EDT(use_after_release_edt) {
  u64* const words = depv[0].ptr;
  if (!right) ocrDbRelease(depv[0].guid);
  words[0] = 2; /* FINDS use_after_release: released */
  if (right) ocrDbRelease(depv[0].guid);
  return NULL_GUID;
}
EDT(use_after_release) {
  run(use_after_release_edt, 0, filled_block(NULL), DB_MODE_RW);
  return NULL_GUID;
}

EDT(use_after_destroy_edt) {
  const u64* const words = depv[0].ptr;
  if (!right) ocrDbDestroy(depv[0].guid);
  sink = words[2]; /* FINDS use_after_destroy: released */
  if (right) ocrDbDestroy(depv[0].guid);
  return NULL_GUID;
}
EDT(use_after_destroy) {
  run(use_after_destroy_edt, 0, filled_block(NULL), DB_MODE_CONST);
  return NULL_GUID;
}

/* One EDT destroys a block that the other has kept the address of; that it comes after it makes it no better. */
EDT(destroys) {
  ocrDbDestroy(depv[0].guid);
  return NULL_GUID;
}
EDT(destroyed_by_another_edt) {
  const u64* const words = right ? depv[0].ptr : (const u64*)(uintptr_t)paramv[0];
  sink = words[2]; /* FINDS destroyed_by_another: released */
  return NULL_GUID;
}
EDT(destroyed_by_another) {
  u64 at;
  ocrGuid_t destroyed, used;
  const ocrGuid_t block = filled_block(&at);
  const ocrGuid_t destroyer = make(destroys, EDT_PROP_NONE, 0, right ? 2 : 1, &destroyed);
  const ocrGuid_t user = make(destroyed_by_another_edt, EDT_PROP_NONE, at, 1, &used);
  if (right) {
    ocrAddDependence(used, destroyer, 1, DB_MODE_NULL);
    ocrAddDependence(block, user, 0, DB_MODE_RO);
  } else {
    ocrAddDependence(destroyed, user, 0, DB_MODE_NULL);
  }
  ocrAddDependence(block, destroyer, 0, DB_MODE_RW);
  return NULL_GUID;
}

/* A child gets no right to a block by its parent's. */
EDT(block_of_parent_child) {
  u64* const words = right ? depv[0].ptr : (u64*)(uintptr_t)paramv[0];
  words[5] = 5; /* FINDS block_of_parent: undeclared */
  return NULL_GUID;
}
EDT(block_of_parent_edt) {
  u64* const words = depv[0].ptr;
  words[0] = 2;
  const ocrGuid_t child = make(block_of_parent_child, EDT_PROP_NONE, (u64)(uintptr_t)words, 1, NULL);
  ocrAddDependence(right ? depv[0].guid : NULL_GUID, child, 0, DB_MODE_RW);
  return NULL_GUID;
}
EDT(block_of_parent) {
  run(block_of_parent_edt, 0, filled_block(NULL), DB_MODE_RW);
  return NULL_GUID;
}

EDT(read_first_edt) {
  ocrGuid_t block;
  u64* words;
  ocrDbCreate(&block, (void**)&words, kWords * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  if (right) memset(words, 0, kWords * sizeof(u64));
  for (int i = 0; i < kWords; ++i) words[i] += i; /* FINDS read_first: read-first */
  ocrDbDestroy(block);
  return NULL_GUID;
}
EDT(read_first) {
  run(read_first_edt, 0, NULL_GUID, DB_MODE_NULL);
  return NULL_GUID;
}

EDT(missing_edge_writer) {
  u64* const words = depv[0].ptr;
  words[7] = 7; /* FINDS missing_edge: unordered */
  return NULL_GUID;
}
EDT(missing_edge_reader) {
  const u64* const words = depv[0].ptr;
  sink = words[7]; /* FINDS missing_edge: unordered */
  return NULL_GUID;
}
EDT(missing_edge) {
  ocrGuid_t written;
  const ocrGuid_t block = filled_block(NULL);
  const ocrGuid_t writer = make(missing_edge_writer, EDT_PROP_NONE, 0, 1, &written);
  const ocrGuid_t reader = make(missing_edge_reader, EDT_PROP_NONE, 0, 2, NULL);
  ocrAddDependence(right ? written : NULL_GUID, reader, 1, DB_MODE_NULL);
  ocrAddDependence(block, reader, 0, DB_MODE_RO);
  ocrAddDependence(block, writer, 0, DB_MODE_RW);
  return NULL_GUID;
}

/* One reads by a thread of its own. */
EDT(missing_edge_of_thread_writer) {
  u64* const words = depv[0].ptr;
  words[8] = 8; /* FINDS missing_edge_of_thread: unordered */
  return NULL_GUID;
}
static void* read_word(void* words) {
  sink = ((const u64*)words)[8]; /* FINDS missing_edge_of_thread: unordered */
  return NULL;
}
EDT(missing_edge_of_thread_reader) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, read_word, depv[0].ptr) == 0) pthread_join(thread, NULL);
  return NULL_GUID;
}
EDT(missing_edge_of_thread) {
  ocrGuid_t written;
  const ocrGuid_t block = filled_block(NULL);
  const ocrGuid_t writer = make(missing_edge_of_thread_writer, EDT_PROP_NONE, 0, 1, &written);
  const ocrGuid_t reader = make(missing_edge_of_thread_reader, EDT_PROP_NONE, 0, 2, NULL);
  ocrAddDependence(right ? written : NULL_GUID, reader, 1, DB_MODE_NULL);
  ocrAddDependence(block, reader, 0, DB_MODE_RO);
  ocrAddDependence(block, writer, 0, DB_MODE_RW);
  return NULL_GUID;
}

/* Several write parts of one block, and each part is one word too long. */
EDT(parts_overlap_edt) {
  u64* const part = (u64*)depv[0].ptr + kPart * paramv[0];
  for (int i = 0; i < kPart + !right; ++i) part[i] = paramv[0]; /* FINDS parts_overlap: unordered */
  return NULL_GUID;
}
EDT(parts_overlap) {
  const ocrGuid_t block = filled_block(NULL);
  for (u64 i = 0; i < kParts; ++i) run(parts_overlap_edt, i, block, DB_MODE_RW);
  return NULL_GUID;
}

/* One finds the other's block in a box that it has had for itself, and the other has given that up too early. */
EDT(published_use) {
  const u64* const words = depv[0].ptr;
  sink = words[3]; /* FINDS published: unordered */
  return NULL_GUID;
}
EDT(published_look) {
  const ocrGuid_t* const box = depv[0].ptr;
  if (ocrGuidIsNull(*box))
    run(published_look, 0, depv[0].guid, DB_MODE_EW);
  else
    run(published_use, 0, *box, DB_MODE_RO);
  return NULL_GUID;
}
EDT(published_make) {
  ocrGuid_t* const box = depv[0].ptr;
  ocrGuid_t block;
  u64* words;
  ocrDbCreate(&block, (void**)&words, kWords * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *box = block;
  if (!right) ocrDbRelease(depv[0].guid);
  words[3] = 3; /* FINDS published: unordered */
  return NULL_GUID;
}
EDT(published) {
  ocrGuid_t box;
  ocrGuid_t* found;
  ocrDbCreate(&box, (void**)&found, sizeof *found, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *found = NULL_GUID;
  ocrDbRelease(box);
  run(published_look, 0, box, DB_MODE_EW);
  run(published_make, 0, box, DB_MODE_EW);
  return NULL_GUID;
}

/* What it has of its parent it has not made: the order of turns is one of this run. */
EDT(turns_edt) {
  u64* const words = depv[1].ptr;
  ++*(u64*)depv[0].ptr;
  words[5] = paramv[0]; /* FINDS turns: unordered */
  return NULL_GUID;
}
EDT(turns) {
  const ocrGuid_t box = filled_block(NULL), block = filled_block(NULL);
  for (u64 i = 0; i < 2; ++i) {
    const ocrGuid_t edt = make(turns_edt, EDT_PROP_NONE, i, 2, NULL);
    ocrAddDependence(box, edt, 0, DB_MODE_EW);
    ocrAddDependence(block, edt, 1, right ? DB_MODE_EW : DB_MODE_RW);
  }
  return NULL_GUID;
}

/* The event hands the block on, and its writer has not done with it. */
EDT(satisfied_too_early_writer) {
  u64* const words = depv[0].ptr;
  ocrGuid_t event;
  memcpy(&event, depv[1].ptr, sizeof event);
  if (!right) ocrEventSatisfy(event, depv[0].guid);
  words[9] = 9; /* FINDS satisfied_too_early: unordered */
  if (right) {
    ocrDbRelease(depv[0].guid);
    ocrEventSatisfy(event, depv[0].guid);
  }
  return NULL_GUID;
}
EDT(satisfied_too_early_reader) {
  const u64* const words = depv[0].ptr;
  sink = words[9]; /* FINDS satisfied_too_early: unordered */
  return NULL_GUID;
}
EDT(satisfied_too_early) {
  ocrGuid_t event, message, *text;
  ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrDbCreate(&message, (void**)&text, sizeof event, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *text = event;
  ocrDbRelease(message);
  ocrAddDependence(event, make(satisfied_too_early_reader, EDT_PROP_NONE, 0, 1, NULL), 0, DB_MODE_RO);
  const ocrGuid_t writer = make(satisfied_too_early_writer, EDT_PROP_NONE, 0, 2, NULL);
  ocrAddDependence(message, writer, 1, DB_MODE_RO);
  ocrAddDependence(filled_block(NULL), writer, 0, DB_MODE_RW);
  return NULL_GUID;
}

/* The end of an EDT is that of those it has made only when it is a finish EDT. */
EDT(no_finish_child) {
  u64* const words = depv[0].ptr;
  words[paramv[0]] = 3; /* FINDS no_finish: unordered */
  return NULL_GUID;
}
EDT(no_finish_parent) {
  for (u64 i = 0; i < kParts; ++i) run(no_finish_child, i, depv[0].guid, DB_MODE_RW);
  return NULL_GUID;
}
EDT(no_finish_reader) {
  const u64* const words = depv[0].ptr;
  for (int i = 0; i < kParts; ++i) sink = words[i]; /* FINDS no_finish: unordered */
  return NULL_GUID;
}
EDT(no_finish) {
  ocrGuid_t done;
  const ocrGuid_t block = filled_block(NULL);
  const ocrGuid_t parent = make(no_finish_parent, right ? EDT_PROP_FINISH : EDT_PROP_NONE, 0, 1, &done);
  const ocrGuid_t reader = make(no_finish_reader, EDT_PROP_NONE, 0, 2, NULL);
  ocrAddDependence(done, reader, 1, DB_MODE_NULL);
  ocrAddDependence(block, reader, 0, DB_MODE_RO);
  ocrAddDependence(block, parent, 0, DB_MODE_CONST);
  return NULL_GUID;
}

/* One waits for the first of two, and reads what the second one writes. */
EDT(wrong_event_writer) {
  u64* const words = depv[0].ptr;
  words[paramv[0]] = 4; /* FINDS wrong_event: unordered */
  return NULL_GUID;
}
EDT(wrong_event_reader) {
  const u64* const words = depv[0].ptr;
  sink = words[1]; /* FINDS wrong_event: unordered */
  return NULL_GUID;
}
EDT(wrong_event) {
  ocrGuid_t written[2], writers[2];
  const ocrGuid_t block = filled_block(NULL);
  const ocrGuid_t reader = make(wrong_event_reader, EDT_PROP_NONE, 0, 2, NULL);
  for (u64 i = 0; i < 2; ++i) writers[i] = make(wrong_event_writer, EDT_PROP_NONE, i, 1, &written[i]);
  ocrAddDependence(written[right ? 1 : 0], reader, 1, DB_MODE_NULL);
  ocrAddDependence(block, reader, 0, DB_MODE_RO);
  for (int i = 0; i < 2; ++i) ocrAddDependence(block, writers[i], 0, DB_MODE_RW);
  return NULL_GUID;
}

/* The latch does not count the second writer. */
EDT(latch_too_small_writer) {
  u64* const words = depv[0].ptr;
  words[paramv[0]] = 5; /* FINDS latch_too_small: unordered */
  return NULL_GUID;
}
EDT(latch_too_small_reader) {
  const u64* const words = depv[0].ptr;
  sink = words[0] + words[1]; /* FINDS latch_too_small: unordered */
  return NULL_GUID;
}
EDT(latch_too_small) {
  ocrGuid_t latch, written[2], writers[2];
  const ocrGuid_t block = filled_block(NULL);
  ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE);
  const ocrGuid_t reader = make(latch_too_small_reader, EDT_PROP_NONE, 0, 2, NULL);
  ocrAddDependence(latch, reader, 1, DB_MODE_NULL);
  ocrAddDependence(block, reader, 0, DB_MODE_RO);
  for (u64 i = 0; i < 2; ++i) {
    writers[i] = make(latch_too_small_writer, EDT_PROP_NONE, i, 1, &written[i]);
    if (i == 1 && !right) break;
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    ocrAddDependence(written[i], latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
  }
  for (int i = 0; i < 2; ++i) ocrAddDependence(block, writers[i], 0, DB_MODE_RW);
  return NULL_GUID;
}

EDT(never_touched_edt) {
  const u64* const words = depv[0].ptr;
  sink = words[0];
  if (right) sink += ((const u64*)depv[1].ptr)[0];
  return NULL_GUID;
}
EDT(never_touched) {
  const ocrGuid_t blocks[] = {filled_block(NULL), filled_block(NULL)};
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, never_touched_edt, 0, 2);
  ocrEdtCreate(&edt, of, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL); /* FINDS never_touched: untouched */
  ocrEdtTemplateDestroy(of);
  for (int i = 0; i < 2; ++i) ocrAddDependence(blocks[i], edt, i, DB_MODE_RO);
  return NULL_GUID;
}

static const struct {
  const char* name;
  ocrEdt_t edt;
} cases[] = {
    {"write_ro", write_ro},
    {"write_const", write_const},
    {"forgotten_block", forgotten_block},
    {"beyond_block", beyond_block},
    {"use_after_release", use_after_release},
    {"use_after_destroy", use_after_destroy},
    {"destroyed_by_another", destroyed_by_another},
    {"block_of_parent", block_of_parent},
    {"read_first", read_first},
    {"missing_edge", missing_edge},
    {"missing_edge_of_thread", missing_edge_of_thread},
    {"parts_overlap", parts_overlap},
    {"published", published},
    {"turns", turns},
    {"satisfied_too_early", satisfied_too_early},
    {"no_finish", no_finish},
    {"wrong_event", wrong_event},
    {"latch_too_small", latch_too_small},
    {"never_touched", never_touched},
};

EDT(end) {
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  const char* const chosen = ocrGetArgv(depv[0].ptr, 1);
  right = ocrGetArgc(depv[0].ptr) > 2;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(cases[i].name, chosen) != 0) continue;
    ocrGuid_t done;
    const ocrGuid_t edt = make(cases[i].edt, EDT_PROP_FINISH, 0, 1, &done);
    ocrAddDependence(done, make(end, EDT_PROP_NONE, 0, 1, NULL), 0, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
  }
  PRINTF("edts: no case %s\n", chosen);
  ocrAbort(2);
  return NULL_GUID;
}
