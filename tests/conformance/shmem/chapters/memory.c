/* SPDX-License-Identifier: Apache-2.0 */

/* The symmetric heap, and variables that are symmetric without it. */
#include <errno.h>

#include "../check.h"

long global_array[1000];
static char small;
static double initialized[3] = {1.5, 2.5, 3.5};

/* A put to it by its address here arrives at the next PE's. */
static void check_symmetric(void *object) {
  unsigned char value = (unsigned char)(me + 1), *byte = object;
  shmem_barrier_all();
  shmem_putmem(byte, &value, 1, next);
  shmem_barrier_all();
  CHECK(*byte == (unsigned char)(previous + 1));
}

static void variables_with_static_storage_are_symmetric(void) {
  static short local_static;
  check_symmetric(&global_array[0]);
  check_symmetric(&global_array[999]);
  check_symmetric(&small);
  check_symmetric(&local_static);
  CHECK(initialized[1] == 2.5);
  check_symmetric(&initialized[2]);
}

static void allocations_are_symmetric_and_apart(void) {
  void *blocks[20];
  for (int i = 0; i < 20; ++i) {
    const size_t size = 1 + (size_t)i * 777;
    blocks[i] = shmem_malloc(size);
    CHECK(blocks[i] != NULL && (size_t)blocks[i] % 16 == 0);
    memset(blocks[i], i, size);
  }
  for (int i = 0; i < 20; ++i) {
    const unsigned char *bytes = blocks[i];
    CHECK(bytes[0] == i && bytes[(size_t)i * 777] == i);
  }
  for (int i = 0; i < 20; i += 2) shmem_free(blocks[i]);
  check_symmetric(blocks[1]);
  check_symmetric(blocks[19]);
  for (int i = 1; i < 20; i += 2) shmem_free(blocks[i]);
}

static void nothing_is_null(void) {
  CHECK(shmem_malloc(0) == NULL);
  CHECK(shmem_calloc(0, 8) == NULL && shmem_calloc(8, 0) == NULL);
  CHECK(shmem_align(64, 0) == NULL);
  CHECK(shmem_malloc_with_hints(0, 0) == NULL);
  CHECK(shmalloc(0) == NULL);
  shmem_free(NULL);
  shfree(NULL);
}

static void calloc_gives_zeros(void) {
  unsigned char *dirty = shmem_malloc(10000);
  memset(dirty, 0xff, 10000);
  shmem_free(dirty);
  unsigned char *clean = shmem_calloc(2500, 4);
  int wrong = 0;
  for (int i = 0; i < 10000; ++i) wrong += clean[i] != 0;
  CHECK(wrong == 0);
  check_symmetric(clean + 9999);
  shmem_free(clean);
}

static void align_gives_what_is_asked(void) {
  for (size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
    void *block = shmem_align(alignment, 100);
    CHECK(block != NULL && (size_t)block % alignment == 0);
    check_symmetric(block);
    shmem_free(block);
  }
  /* Larger than what regions of memory are aligned to anyway, and on every PE. */
  for (size_t alignment = 1 << 17; alignment <= 1 << 26; alignment *= 2) {
    char *block = shmem_align(alignment, 100);
    CHECK(block != NULL && (size_t)block % alignment == 0);
    check_symmetric(block + 99);
    shmem_free(block);
  }
  errno = 0;
  CHECK(shmem_align((size_t)1 << 40, 100) == NULL && errno == ENOMEM);
  CHECK(shmem_align(0, 100) == NULL && shmem_align(3, 100) == NULL && shmem_align(24, 100) == NULL);
  void *old = shmemalign(4096, 1);
  CHECK(old != NULL && (size_t)old % 4096 == 0);
  shfree(old);
}

static void realloc_keeps_the_contents(void) {
  long *block = shmem_malloc(100 * sizeof(long));
  for (int i = 0; i < 100; ++i) block[i] = i;
  block = shmem_realloc(block, 5000 * sizeof(long));
  CHECK(block != NULL);
  for (int i = 0; i < 100; ++i) CHECK(block[i] == i);
  check_symmetric(block + 4999);
  block = shmem_realloc(block, 50 * sizeof(long));
  for (int i = 1; i < 50; ++i) CHECK(block[i] == i);
  CHECK(shmem_realloc(block, 0) == NULL);
  block = shmem_realloc(NULL, 64);
  CHECK(block != NULL);
  block = shrealloc(block, 128);
  shmem_free(block);
}

static void too_much_is_null_on_every_pe(void) {
  static int nulls;
  void *before = shmem_malloc(100);
  nulls = 0;
  shmem_barrier_all();
  if (shmem_malloc((size_t)1 << 46) == NULL) shmem_int_atomic_inc(&nulls, 0);
  shmem_barrier_all();
  CHECK(me != 0 || nulls == n_pes);
  CHECK(shmem_calloc(SIZE_MAX / 2, 4) == NULL);
  CHECK(shmem_realloc(before, (size_t)1 << 46) == NULL);
  check_symmetric(before); /* it is still there */
  shmem_free(before);
}

static void hints_are_taken(void) {
  long *counter = shmem_malloc_with_hints(sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE);
  uint64_t *signal = shmem_malloc_with_hints(sizeof(uint64_t), SHMEM_MALLOC_SIGNAL_REMOTE | SHMEM_MALLOC_ATOMICS_REMOTE);
  CHECK(counter != NULL && signal != NULL);
  *counter = 0;
  shmem_barrier_all();
  shmem_atomic_inc(counter, 0);
  shmem_barrier_all();
  CHECK(shmem_long_g(counter, 0) == n_pes);
  shmem_barrier_all();
  shmem_free(counter);
  shmem_free(signal);
}

/* A hint is information: what the library cannot use changes nothing. */
static void unknown_hints_change_nothing(void) {
  long *block = shmem_malloc_with_hints(100 * sizeof(long), ~SHMEM_MALLOC_ATOMICS_REMOTE);
  CHECK(block != NULL);
  check_symmetric(block + 99);
  shmem_free(block);
}

/* Together more than the heap has. */
static void memory_that_is_free_is_used_again(void) {
  for (int i = 0; i < 40; ++i) {
    void *block = shmem_malloc(32 << 20);
    CHECK(block != NULL);
    if (block == NULL) return;
    shmem_free(block);
  }
}

CHAPTER(CASE(variables_with_static_storage_are_symmetric), CASE(allocations_are_symmetric_and_apart),
        CASE(nothing_is_null), CASE(calloc_gives_zeros), CASE(align_gives_what_is_asked),
        CASE(realloc_keeps_the_contents), CASE(too_much_is_null_on_every_pe), CASE(hints_are_taken), CASE(unknown_hints_change_nothing),
        CASE(memory_that_is_free_is_used_again))
