/* SPDX-License-Identifier: Apache-2.0 */

/* Start, end, who a PE is, what it can reach, what library this is. */
#include "../check.h"

static int global_word;

static void pes_are_numbered_from_0(void) {
  static long seen[1024];
  CHECK(me >= 0 && me < n_pes && n_pes <= 1024);
  CHECK(_my_pe() == me && _num_pes() == n_pes && pshmem_my_pe() == me);
  shmem_long_p(&seen[me], 1, 0);
  shmem_barrier_all();
  if (me == 0) {
    for (int pe = 0; pe < n_pes; ++pe) CHECK(seen[pe] == 1);
  }
}

static void the_library_says_what_it_is(void) {
  char name[SHMEM_MAX_NAME_LEN];
  int major = 0, minor = 0;
  shmem_info_get_version(&major, &minor);
  CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && major == 1 && minor == 6);
  memset(name, 'x', sizeof name);
  shmem_info_get_name(name);
  CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
  CHECK(_SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION && _SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN);
}

/* 1.6: each init is matched by a finalize, of which the last one ends. */
static void init_may_be_called_again(void) {
  int initialized = 0, provided = -1;
  shmem_query_initialized(&initialized);
  CHECK(initialized);
  shmem_init();
  CHECK(shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) == 0);
  CHECK(provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE);
  shmem_finalize();
  shmem_finalize();
  shmem_query_initialized(&initialized);
  CHECK(initialized && shmem_my_pe() == me && shmem_n_pes() == n_pes);
}

static void the_thread_level_is_told(void) {
  int level = -1;
  shmem_query_thread(&level);
  CHECK(level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE);
  CHECK(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
        SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE);
}

static void what_can_be_reached(void) {
  static long static_word;
  long stack_word = 0;
  long *heap_word = shmem_malloc(sizeof *heap_word);
  for (int pe = 0; pe < n_pes; ++pe) {
    CHECK(shmem_pe_accessible(pe));
    CHECK(shmem_addr_accessible(&static_word, pe) && shmem_addr_accessible(&global_word, pe));
    CHECK(shmem_addr_accessible(heap_word, pe) && !shmem_addr_accessible(&stack_word, pe));
  }
  CHECK(!shmem_pe_accessible(-1) && !shmem_pe_accessible(n_pes));
  CHECK(!shmem_addr_accessible(heap_word, n_pes));
  shmem_free(heap_word);
}

/* What shmem_ptr() gives can be loaded and stored; it may be NULL for other PEs, and is not for one's own. */
static void a_pointer_to_another_pe_is_its_memory(void) {
  static long static_word;
  long stack_word = 0;
  long *heap_word = shmem_malloc(sizeof *heap_word);
  *heap_word = static_word = me;
  shmem_barrier_all();
  CHECK(shmem_ptr(heap_word, me) == heap_word && shmem_ptr(&static_word, me) == &static_word);
  CHECK(shmem_ptr(&stack_word, me) == NULL && shmem_ptr(heap_word, n_pes) == NULL && shmem_ptr(heap_word, -1) == NULL);
  long *there = shmem_ptr(heap_word, next), *static_there = shmem_ptr(&static_word, next);
  CHECK((there == NULL) == (static_there == NULL));
  if (there != NULL) CHECK(*there == next && *static_there == next);
  shmem_barrier_all();
  if (there != NULL) *there = 100 + me;
  shmem_barrier_all();
  if (there != NULL) CHECK(shmem_long_g(heap_word, next) == 100 + me);
  shmem_barrier_all();
  shmem_free(heap_word);
}

static void a_profiler_level_has_no_effect(void) {
  shmem_pcontrol(0);
  shmem_pcontrol(1);
  shmem_pcontrol(2, 3, "more");
}

CHAPTER(CASE(pes_are_numbered_from_0), CASE(the_library_says_what_it_is), CASE(init_may_be_called_again),
        CASE(the_thread_level_is_told), CASE(what_can_be_reached), CASE(a_pointer_to_another_pe_is_its_memory),
        CASE(a_profiler_level_has_no_effect))
