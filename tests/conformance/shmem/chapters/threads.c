/* SPDX-License-Identifier: Apache-2.0 */

/* SHMEM_THREAD_MULTIPLE: threads put, add and wait at the same time, on the default context and on their own. */
#include <pthread.h>

#include "../check.h"

enum { THREADS = 3, ROUNDS = 200 };

static long sums[THREADS + 1], cells[THREADS], flags[THREADS], echoes[THREADS];

static void *adds(void *argument) {
  const long thread = (long)argument;
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  if (thread != 0) CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0);
  for (int i = 1; i <= ROUNDS; ++i) {
    shmem_atomic_inc(ctx, &sums[thread], next);
    shmem_atomic_add(ctx, &sums[THREADS], 2, 0);
    shmem_p(ctx, &cells[thread], (long)i, next);
    shmem_ctx_quiet(ctx);
    CHECK(shmem_g(ctx, &cells[thread], next) == i);
  }
  if (thread != 0) shmem_ctx_destroy(ctx);
  return NULL;
}

/* One thread waits for what another one's partner sends: a wait keeps nobody from communicating. */
static void *plays(void *argument) {
  const long thread = (long)argument;
  for (int i = 1; i <= ROUNDS; ++i) {
    shmem_atomic_set(&flags[thread], (long)i, next);
    shmem_long_wait_until(&flags[thread], SHMEM_CMP_GE, i);
    shmem_atomic_set(&echoes[thread], (long)i, previous);
    shmem_long_wait_until(&echoes[thread], SHMEM_CMP_GE, i);
  }
  return NULL;
}

static void run_threads(void *(*body)(void *)) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, body, (void *)i) == 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

static void nothing_is_lost_between_threads(void) {
  run_threads(adds);
  shmem_barrier_all();
  for (int i = 0; i < THREADS; ++i) CHECK(sums[i] == ROUNDS && cells[i] == ROUNDS);
  CHECK(me != 0 || sums[THREADS] == 2L * ROUNDS * THREADS * n_pes);
}

static void threads_wait_beside_each_other(void) { run_threads(plays); }

static const struct test_case all_cases[] = {CASE(nothing_is_lost_between_threads), CASE(threads_wait_beside_each_other)};

int main(void) {
  int provided = -1, level = -1, status;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 2;
  shmem_query_thread(&level);
  status = run_cases(all_cases, COUNT(all_cases)) | (provided != SHMEM_THREAD_MULTIPLE) | (level != provided);
  shmem_finalize();
  return status;
}
