/* SPDX-License-Identifier: Apache-2.0 */

/* mistakes NAME: a program that makes one mistake, which WEIR_CHECK=1 names (checked_test.py). Each is for two PEs or
 * more, and ends with status 0 when nobody sees it. */
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static long from[4 * N], to[4 * N], sync_words[SHMEM_SYNC_SIZE], more_words[SHMEM_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE], sums[4];

static int me(void) { return shmem_my_pe(); }

static void put_overlaps(void) { shmem_long_put(to + 1, to, 4, me()); }
static void get_overlaps(void) {
  if (shmem_ptr(to, 0) != NULL) shmem_getmem((char*)shmem_ptr(to, 0) + 8, to, 32, 0);
}
/* Elements 0, 3, 6 ... of dest are 0, 2, 4 ... of source but for the first, which is its own. */
static void iput_overlaps(void) { shmem_long_iput(to, to, 3, 2, 8, me()); }
static void iget_overlaps(void) { shmem_long_iget(to + 20, to, -2, 4, 8, me()); }
/* Lines of a matrix between each other's, a matrix in place, and the same backwards: nothing to say. */
static void strided_apart(void) {
  shmem_long_iput(to, to + 1, 2, 2, N, me());
  shmem_long_iput(to, to, 2, 2, N, me());
  shmem_long_iget(to + N, to + N, -1, -1, N, me());
}
static void broadcast_overlaps(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, to + 2, to, 8, 0); }
static void fcollect_in_place(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, to, to, 8); }
/* Of which one PE gives nothing: its source is no array. */
static void collect_in_place(void) { shmem_long_collect(SHMEM_TEAM_WORLD, to, to, me() == 1 ? 0 : 8); }
/* What PE 0 gives ends where the parts of the others begin, of which it does not know how long they are. */
static void collect_overlaps(void) { shmem_long_collect(SHMEM_TEAM_WORLD, to, to + 8, 8); }
/* The same elements, which go to other PEs; and of both arrays those between which the other's lie. */
static void alltoalls_in_place(void) { shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, to, 2, 2, 8); }
static void alltoalls_apart(void) { shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, to + 1, 2, 2, 8); }
static void reduce_overlaps(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to + 1, to, 8); }
static void reduce_on_stack(void) {
  double sums_here[2] = {0, 0};
  shmem_double_sum_to_all(sums_here, sums, 2, 0, 0, shmem_n_pes(), work, sync_words);
}
static void other_root(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 8, me() == 1 ? 1 : 0); }
static void other_count(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, to, from, me() == 1 ? 3 : 4); }
static void other_dest(void) { shmem_long_max_reduce(SHMEM_TEAM_WORLD, me() == 1 ? to + 8 : to, from, 4); }
static void other_op(void) {
  if (me() == 1)
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, (int*)to, (int*)from, 4);
  else
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, (int*)to, (int*)from, 4);
}
static void barrier_and_broadcast(void) {
  if (me() == 1)
    shmem_broadcast64(to, from, 8, 0, 0, 0, shmem_n_pes(), sync_words);
  else
    shmem_barrier(0, 0, shmem_n_pes(), sync_words);
}
static void one_barrier_more(void) {
  if (me() == 0) shmem_barrier_all();
}
static void leaves_a_team(void) {
  shmem_team_t all;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &all);
  if (me() == 0) shmem_team_sync(all);
}
static void other_team(void) {
  shmem_team_t all;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &all);
  if (me() == 0)
    shmem_team_sync(all);
  else
    shmem_barrier_all();
}
static void other_set(void) { shmem_barrier(0, 0, me() == 1 ? 2 : shmem_n_pes(), sync_words); }
static void other_psync(void) { shmem_barrier(0, 0, shmem_n_pes(), me() == 1 ? more_words : sync_words); }
static void other_size(void) { shmem_malloc(me() == 1 ? 200 : 100); }
static void frees_alone(void) {
  long* const memory = shmem_malloc(64);
  if (me() == 0) shmem_free(memory);
}
static void frees_twice(void) {
  long* const memory = shmem_malloc(64);
  shmem_free(memory);
  shmem_free(memory);
}
static void other_split(void) {
  shmem_team_t team;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, me() == 1 ? 1 : 2, NULL, 0, &team);
}
static void used_team_that_is_gone(void) {
  shmem_team_t all;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &all);
  shmem_team_destroy(all);
  shmem_team_sync(all);
}
static void sync_value(void) {
  sync_words[3] = 7;
  shmem_sync(0, 0, shmem_n_pes(), sync_words);
}
static void private_context(void) {
  shmem_ctx_t context;
  shmem_ctx_create(SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &context);
}
static void leaves_context_and_team(void) { /* no mistake: a note */
  shmem_ctx_t context;
  shmem_team_t all;
  shmem_ctx_create(SHMEM_CTX_SERIALIZED, &context);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &all);
}
static void in_place(void) { /* no mistake */
  shmem_long_broadcast(SHMEM_TEAM_WORLD, to, to, 4, 0);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, to, 4);
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, to, to, 4);
  shmem_long_put(to, to, 4, me());
  shmem_long_collect(SHMEM_TEAM_WORLD, to, from, (size_t)me());
}
static void collects_nothing(void) { shmem_long_collect(SHMEM_TEAM_WORLD, shmem_malloc(0), from, 0); }
/* Of the library that LIBRARY names. */
static long* library_words;
static void library_alike(void) { shmem_long_broadcast(SHMEM_TEAM_WORLD, library_words, library_words + 400, 4, 0); }
static void library_other_source(void) {
  shmem_long_broadcast(SHMEM_TEAM_WORLD, library_words, library_words + 400 + 8 * me(), 4, 0);
}
static void ends_early(void) {
  if (me() == 1) exit(0);
  shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 8, 0);
}

#define MISTAKE(name)                                                                                                  \
  { #name, name }
static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
    MISTAKE(put_overlaps),
    MISTAKE(get_overlaps),
    MISTAKE(iput_overlaps),
    MISTAKE(iget_overlaps),
    MISTAKE(strided_apart),
    MISTAKE(broadcast_overlaps),
    MISTAKE(fcollect_in_place),
    MISTAKE(collect_in_place),
    MISTAKE(collect_overlaps),
    MISTAKE(alltoalls_in_place),
    MISTAKE(alltoalls_apart),
    MISTAKE(reduce_overlaps),
    MISTAKE(reduce_on_stack),
    MISTAKE(other_root),
    MISTAKE(other_count),
    MISTAKE(other_dest),
    MISTAKE(other_op),
    MISTAKE(barrier_and_broadcast),
    MISTAKE(one_barrier_more),
    MISTAKE(leaves_a_team),
    MISTAKE(other_team),
    MISTAKE(other_set),
    MISTAKE(other_psync),
    MISTAKE(other_size),
    MISTAKE(frees_alone),
    MISTAKE(frees_twice),
    MISTAKE(other_split),
    MISTAKE(used_team_that_is_gone),
    MISTAKE(sync_value),
    MISTAKE(private_context),
    MISTAKE(leaves_context_and_team),
    MISTAKE(in_place),
    MISTAKE(collects_nothing),
    MISTAKE(library_alike),
    MISTAKE(library_other_source),
    MISTAKE(ends_early),
};

int main(int argc, char** argv) {
  size_t i;
  if (getenv("LIBRARY") != NULL) {
    void* const library = dlopen(getenv("LIBRARY"), RTLD_NOW);
    if (library != NULL) library_words = dlsym(library, "library_words");
  }
  shmem_init();
  for (i = 0; argc == 2 && i < sizeof(mistakes) / sizeof(mistakes[0]); ++i) {
    if (strcmp(argv[1], mistakes[i].name) != 0) continue;
    mistakes[i].make();
    shmem_finalize();
    return 0;
  }
  fprintf(stderr, "mistakes: which of its mistakes is meant?\n");
  shmem_global_exit(2);
  return 2;
}
