/* SPDX-License-Identifier: Apache-2.0 */

/* Teams: predefined, split, translated, destroyed. */
#include "../check.h"

static void world_has_all_pes(void) {
  CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == n_pes);
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
}

/* Exactly those whose memory shmem_ptr() gives. */
static void shared_has_the_pes_that_are_near(void) {
  static long word;
  int near = 0;
  for (int pe = 0; pe < n_pes; ++pe) near += shmem_ptr(&word, pe) != NULL;
  CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) == near);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_SHARED, shmem_team_my_pe(SHMEM_TEAM_SHARED), SHMEM_TEAM_WORLD) == me);
  for (int pe = 0; pe < near; ++pe) {
    const int world = shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD);
    CHECK(world >= 0 && world < n_pes);
    CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, &word, pe) == shmem_ptr(&word, world));
    CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, &word, pe) != NULL);
  }
  CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, &word, me) == &word);
  CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, &word, 0) == NULL);
}

/* A member sees its number, the others SHMEM_TEAM_INVALID; all get 0. */
static void a_strided_split_has_every_other_pe(void) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  const int size = (n_pes + 1) / 2;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, size, NULL, 0, &team) == 0);
  CHECK((team == SHMEM_TEAM_INVALID) == (me % 2 == 1));
  CHECK(shmem_team_my_pe(team) == (me % 2 == 0 ? me / 2 : -1));
  CHECK(shmem_team_n_pes(team) == (me % 2 == 0 ? size : -1));
  if (team != SHMEM_TEAM_INVALID) {
    for (int pe = 0; pe < size; ++pe) CHECK(shmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD) == 2 * pe);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1, team) == -1);
    CHECK(shmem_team_translate_pe(team, size, SHMEM_TEAM_WORLD) == -1);
    CHECK(shmem_team_translate_pe(team, 0, SHMEM_TEAM_INVALID) == -1);
    CHECK(shmem_team_sync(team) == 0);
  }
  shmem_team_destroy(team);
}

static void a_stride_may_be_negative(void) {
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &team) == 0);
  CHECK(shmem_team_my_pe(team) == n_pes - 1 - me);
  CHECK(shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD) == n_pes - 1);
  shmem_team_destroy(team);
}

static void a_team_of_one_is_a_team(void) {
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, 1, 1, NULL, 0, &team) == 0);
  CHECK((team == SHMEM_TEAM_INVALID) == (me != n_pes - 1));
  if (team != SHMEM_TEAM_INVALID) CHECK(shmem_team_n_pes(team) == 1 && shmem_team_sync(team) == 0);
  shmem_team_destroy(team);
}

static void a_split_of_what_cannot_be_is_an_error_on_all(void) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes + 1, NULL, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  team = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, -1, 1, 1, NULL, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
}

/* Rows of two PEs, and columns. */
static void a_grid_has_two_axes(void) {
  shmem_team_t x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
  const int rows = (n_pes + 1) / 2, in_last_row = n_pes % 2 == 0 ? 2 : 1;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) == 0);
  CHECK(shmem_team_my_pe(x) == me % 2 && shmem_team_my_pe(y) == me / 2);
  CHECK(shmem_team_n_pes(x) == (me / 2 == rows - 1 ? in_last_row : 2));
  CHECK(shmem_team_n_pes(y) == (me % 2 < in_last_row ? rows : rows - 1));
  CHECK(shmem_team_translate_pe(x, 0, SHMEM_TEAM_WORLD) == me / 2 * 2);
  CHECK(shmem_team_translate_pe(y, 0, SHMEM_TEAM_WORLD) == me % 2);
  CHECK(shmem_team_sync(x) == 0 && shmem_team_sync(y) == 0);
  shmem_team_destroy(x);
  shmem_team_destroy(y);
  /* wider than the parent: one row */
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, n_pes + 3, NULL, 0, &x, NULL, 0, &y) == 0);
  CHECK(shmem_team_n_pes(x) == n_pes && shmem_team_n_pes(y) == 1);
  shmem_team_destroy(x);
  shmem_team_destroy(y);
}

static void teams_are_split_again(void) {
  shmem_team_t lower, upper = SHMEM_TEAM_INVALID, half, quarter = SHMEM_TEAM_INVALID;
  const int size = (n_pes + 1) / 2;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &lower) == 0);
  if (size < n_pes) CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, size, 1, n_pes - size, NULL, 0, &upper) == 0);
  half = me < size ? lower : upper;
  CHECK(shmem_team_n_pes(half) == (me < size ? size : n_pes - size));
  CHECK(shmem_team_split_strided(half, 0, 1, 1, NULL, 0, &quarter) == 0);
  CHECK((quarter != SHMEM_TEAM_INVALID) == (me == 0 || me == size));
  if (quarter != SHMEM_TEAM_INVALID) CHECK(shmem_team_translate_pe(quarter, 0, SHMEM_TEAM_WORLD) == me);
  shmem_team_destroy(quarter);
  shmem_team_destroy(half);
}

static void a_configuration_is_kept(void) {
  shmem_team_config_t config = {0}, found = {-1};
  shmem_team_t team;
  config.num_contexts = 2;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, &config, SHMEM_TEAM_NUM_CONTEXTS, &team) == 0);
  CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &found) == 0 && found.num_contexts == 2);
  CHECK(shmem_team_get_config(team, 0, NULL) == 0);
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &found) != 0);
  shmem_team_destroy(team);
  shmem_team_destroy(SHMEM_TEAM_INVALID); /* nothing */
}

static void many_teams_come_and_go(void) {
  for (int i = 0; i < 100; ++i) {
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team) == 0);
    CHECK(shmem_sync(team) == 0);
    shmem_team_destroy(team);
  }
}

CHAPTER(CASE(world_has_all_pes), CASE(shared_has_the_pes_that_are_near), CASE(a_strided_split_has_every_other_pe),
        CASE(a_stride_may_be_negative), CASE(a_team_of_one_is_a_team), CASE(a_split_of_what_cannot_be_is_an_error_on_all),
        CASE(a_grid_has_two_axes), CASE(teams_are_split_again), CASE(a_configuration_is_kept),
        CASE(many_teams_come_and_go))
