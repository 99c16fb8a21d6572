/* SPDX-License-Identifier: Apache-2.0 */

/* 1.6: a program may start the library again after it has ended it, as often as it likes; each time everything works,
 * and variables have what they had. */
#include "../check.h"

enum { kStarts = 3 };

static long global_word = -1;
static long counter;

static int round_number;

static void variables_keep_their_values(void) {
  const int before = round_number == 0 ? -1 : 100 * (round_number - 1) + previous;
  CHECK(global_word == before);
  shmem_barrier_all();
  shmem_long_p(&global_word, 100 * round_number + me, next);
  shmem_barrier_all();
  CHECK(global_word == 100 * round_number + previous);
}

static void the_heap_is_new(void) {
  long* words = shmem_calloc((size_t)n_pes, sizeof *words);
  CHECK(words != NULL);
  for (int pe = 0; pe < n_pes; ++pe) shmem_long_p(&words[me], me + 1, pe);
  shmem_barrier_all();
  for (int pe = 0; pe < n_pes; ++pe) CHECK(words[pe] == pe + 1);
  shmem_barrier_all();
  shmem_free(words);
}

static void atomics_and_waits_work(void) {
  shmem_long_atomic_inc(&counter, next);
  shmem_long_wait_until(&counter, SHMEM_CMP_GE, round_number + 1);
  CHECK(counter == round_number + 1);
}

static void teams_and_contexts_are_new(void) {
  static long sum, one;
  one = 1;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team) == 0);
  CHECK(shmem_long_sum_reduce(team, &sum, &one, 1) == 0 && sum == n_pes);
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0);
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(team);
}

static const struct test_case all_cases[] = {CASE(variables_keep_their_values), CASE(the_heap_is_new),
                                             CASE(atomics_and_waits_work), CASE(teams_and_contexts_are_new)};

int main(void) {
  int status = 0, provided = -1, initialized = -1;
  for (round_number = 0; round_number < kStarts; ++round_number) {
    running = "between starts";
    shmem_query_initialized(&initialized);
    CHECK(initialized == 0);
    if (round_number == 1) {
      CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_MULTIPLE);
    } else {
      shmem_init();
    }
    status |= run_cases(all_cases, COUNT(all_cases));
    shmem_finalize();
  }
  return status | (failures != 0);
}
