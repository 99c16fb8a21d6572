/* SPDX-License-Identifier: Apache-2.0 */

/* Locks in static memory and in the heap. */
#include "../check.h"

static long static_lock, counter;

/* What is read and written without an atomic under a lock is not lost. */
static void count_under(long *lock) {
  counter = 0;
  shmem_barrier_all();
  for (int i = 0; i < 50; ++i) {
    shmem_set_lock(lock);
    shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
    shmem_clear_lock(lock); /* includes a quiet */
  }
  shmem_barrier_all();
  if (me == 0) CHECK(counter == 50 * n_pes);
}

static void one_pe_at_a_time_has_a_lock(void) { count_under(&static_lock); }

static void a_lock_lies_in_the_heap(void) {
  long *lock = shmem_calloc(3, sizeof(long));
  count_under(lock + 2);
  shmem_free(lock);
}

static void test_lock_gets_it_or_not(void) {
  static int had;
  had = 0;
  shmem_barrier_all();
  if (shmem_test_lock(&static_lock) == 0) {
    shmem_int_atomic_inc(&had, 0);
    CHECK(shmem_test_lock(&static_lock) != 0);
    shmem_barrier_all();
    shmem_clear_lock(&static_lock);
  } else {
    shmem_barrier_all();
  }
  shmem_barrier_all();
  CHECK(me != 0 || had == 1);
  while (shmem_test_lock(&static_lock) != 0) {
  }
  shmem_clear_lock(&static_lock);
}

static void locks_are_independent(void) {
  static long locks[2];
  shmem_set_lock(&locks[0]);
  shmem_set_lock(&locks[1]);
  shmem_clear_lock(&locks[0]);
  shmem_clear_lock(&locks[1]);
}

CHAPTER(CASE(one_pe_at_a_time_has_a_lock), CASE(a_lock_lies_in_the_heap), CASE(test_lock_gets_it_or_not),
        CASE(locks_are_independent))
