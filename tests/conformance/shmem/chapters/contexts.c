/* SPDX-License-Identifier: Apache-2.0 */

/* Contexts: of the world and of teams, their PEs, their end. */
#include "../check.h"

static long words[8];

static void every_option_makes_a_context(void) {
  const long options[] = {0,
                          SHMEM_CTX_PRIVATE,
                          SHMEM_CTX_SERIALIZED,
                          SHMEM_CTX_NOSTORE,
                          SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE,
                          SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE};
  for (size_t i = 0; i < COUNT(options); ++i) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    memset(words, 0, sizeof words);
    CHECK(shmem_ctx_create(options[i], &ctx) == 0 && ctx != SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD);
    shmem_barrier_all();
    shmem_p(ctx, &words[0], me + 1L, next);
    shmem_ctx_fence(ctx);
    shmem_atomic_add(ctx, &words[1], 5, next);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(words[0] == previous + 1 && words[1] == 5);
    CHECK(shmem_g(ctx, &words[0], next) == me + 1);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
  }
}

static void destroying_a_context_completes_it(void) {
  shmem_ctx_t ctx;
  long value = me + 10;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  shmem_put_nbi(ctx, &words[2], &value, 1, next);
  shmem_ctx_destroy(ctx);
  CHECK(shmem_long_g(&words[2], next) == me + 10);
}

/* In a context of a team, PEs have the team's numbers. */
static void a_context_of_a_team_has_its_numbers(void) {
  shmem_team_t backwards, of_context = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &backwards) == 0);
  CHECK(shmem_team_create_ctx(backwards, 0, &ctx) == 0);
  CHECK(shmem_ctx_get_team(ctx, &of_context) == 0 && of_context == backwards);
  shmem_p(ctx, &words[3], me + 1L, 0); /* the last PE of the world */
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(me != n_pes - 1 || (words[3] >= 1 && words[3] <= n_pes));
  words[4] = me;
  shmem_barrier_all();
  for (int pe = 0; pe < n_pes; ++pe) CHECK(shmem_g(ctx, &words[4], pe) == n_pes - 1 - pe);
  CHECK(shmem_atomic_fetch(ctx, &words[4], 0) == n_pes - 1);
  shmem_ctx_pe_quiet(ctx, (const int[]){0}, 1);
  shmem_barrier_all();
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(backwards);
}

static void a_context_of_no_team_is_no_context(void) {
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
  shmem_ctx_destroy(SHMEM_CTX_INVALID); /* nothing, and there is nothing to order or to wait for */
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, &me, 1);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD);
}

/* 1.6: a hint that many operations follow. */
static void a_session_changes_nothing_that_is_seen(void) {
  shmem_ctx_session_config_t config;
  config.total_ops = 10;
  words[5] = 0;
  shmem_barrier_all();
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
  for (int i = 0; i < 10; ++i) shmem_atomic_inc(&words[5], next);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  shmem_barrier_all();
  CHECK(words[5] == 10);
}

static void many_contexts_live_at_a_time(void) {
  shmem_ctx_t contexts[40];
  words[6] = 0;
  shmem_barrier_all();
  for (size_t i = 0; i < COUNT(contexts); ++i) CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &contexts[i]) == 0);
  for (size_t i = 0; i < COUNT(contexts); ++i) shmem_atomic_inc(contexts[i], &words[6], 0);
  for (size_t i = 0; i < COUNT(contexts); ++i) shmem_ctx_destroy(contexts[i]);
  shmem_barrier_all();
  CHECK(me != 0 || words[6] == (long)COUNT(contexts) * n_pes);
}

CHAPTER(CASE(every_option_makes_a_context), CASE(destroying_a_context_completes_it),
        CASE(a_context_of_a_team_has_its_numbers), CASE(a_context_of_no_team_is_no_context),
        CASE(a_session_changes_nothing_that_is_seen), CASE(many_contexts_live_at_a_time))
