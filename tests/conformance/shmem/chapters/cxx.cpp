// SPDX-License-Identifier: Apache-2.0

// C++: what is a generic macro in C is an overload here, and complex numbers are std::complex.
#include <shmemx.h>

#include <complex>
#include <cstring>
#include <vector>

#include "../check.h"

static double values[8];
static std::complex<double> numbers[2], sums[2];
static std::int64_t word;
static std::uint64_t signal_word;
static volatile int flag, flags[2];
static volatile std::uint64_t volatile_signal;

static void overloads_take_a_context_or_not() {
  const double source[2] = {me + 0.5, 2};
  std::vector<double> got(2);
  shmem_put(values, source, 2, next);
  shmem_put_nbi(SHMEM_CTX_DEFAULT, values + 2, source, 2, next);
  shmem_barrier_all();
  CHECK(values[0] == previous + 0.5 && values[2] == previous + 0.5);
  shmem_get(got.data(), values, got.size(), next);
  CHECK(got[0] == me + 0.5 && got[1] == 2);
  shmem_p(&values[4], 7, next);
  CHECK(shmem_g(&values[4], next) == 7 && shmem_g(SHMEM_CTX_DEFAULT, &values[4], next) == 7);
  shmem_barrier_all();
}

static void types_of_a_width_are_overloaded_once() {
  word = 0;
  shmem_barrier_all();
  shmem_atomic_add(&word, 2, 0);
  shmem_atomic_or(SHMEM_CTX_DEFAULT, &word, 1, next);
  shmem_barrier_all();
  CHECK(shmem_atomic_fetch(&word, 0) >= 2 * n_pes);
}

static void complex_numbers_are_summed() {
  numbers[0] = std::complex<double>(me, 1);
  numbers[1] = 2.0;
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, sums, numbers, 2) == 0);
  CHECK(sums[0] == std::complex<double>(n_pes * (n_pes - 1) / 2, n_pes) && sums[1] == 2.0 * n_pes);
}

// As programs have them that include <complex.h> in C++.
__extension__ typedef float _Complex FloatOfC;
static void complex_numbers_of_c_are_summed() {
  static long sync[SHMEM_REDUCE_SYNC_SIZE];
  static FloatOfC source[1], dest[1], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  const float parts[2] = {1, static_cast<float>(me)};
  std::memcpy(source, parts, sizeof parts);
  shmem_barrier_all();
  CHECK(shmem_complexf_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(__real__ dest[0] == n_pes);
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  shmem_complexf_sum_to_all(dest, source, 1, 0, 0, n_pes, work, sync);
  CHECK(__imag__ dest[0] == n_pes * (n_pes - 1) / 2);
}

// Names of Sandia's library for what came with 1.6.
static void names_of_1_6_are_there_with_an_x() {
  static long there[4];
  const long here[4] = {me, me + 1L, 2, 3};
  shmemx_long_ibput(there, here, 2, 2, 2, 2, next);
  shmemx_ibput(SHMEM_CTX_DEFAULT, there, here, 2, 2, 2, 2, next);
  shmem_barrier_all();
  CHECK(there[0] == previous && there[3] == 3);
  values[0] = 1;
  shmem_barrier_all();
  CHECK(shmemx_double_sum_exscan(SHMEM_TEAM_WORLD, values + 1, values, 1) == 0 && values[1] == me);
  CHECK(shmemx_sum_inscan(SHMEM_TEAM_WORLD, values + 2, values, 1) == 0 && values[2] == me + 1);
  CHECK(shmem_team_n_pes(SHMEMX_TEAM_NODE) >= 1 && shmemx_wtime() > 0);
}

// A profiler in C++: a routine of its own, which calls the library's.
static int flushes;
extern "C" void shmem_udcflush() {
  ++flushes;
  pshmem_udcflush();
}
static void a_profiler_may_be_in_cxx() {
  shmem_udcflush();
  CHECK(flushes == 1);
}

static void both_forms_of_sync_and_signals_are_there() {
  static long sync[SHMEM_BARRIER_SYNC_SIZE];
  signal_word = 0;
  CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0);
  shmem_sync(0, 0, n_pes, sync);
  shmem_signal_add(&signal_word, 1, next);
  shmem_signal_add(SHMEM_CTX_DEFAULT, &signal_word, 1, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 2) == 2);
}

static void a_volatile_variable_can_be_waited_for() {
  flag = 0;
  shmem_barrier_all();
  shmem_int_p(const_cast<int*>(&flag), 1, next);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  CHECK(shmem_test(&flag, SHMEM_CMP_EQ, 1) == 1 && shmem_int_test(&flag, SHMEM_CMP_EQ, 2) == 0);
}

static void volatile_variables_can_be_waited_for_together() {
  const int wanted[2] = {1, 2};
  std::size_t which[2] = {7, 7};
  shmem_int_p(const_cast<int*>(&flags[0]), 1, next);
  shmem_int_p(const_cast<int*>(&flags[1]), 2, next);
  shmem_wait_until_all(flags, 2, NULL, SHMEM_CMP_GE, 1);
  shmem_int_wait_until_all_vector(flags, 2, NULL, SHMEM_CMP_EQ, wanted);
  CHECK(shmem_wait_until_any(flags, 2, NULL, SHMEM_CMP_EQ, 2) == 1);
  CHECK(shmem_test_any(flags, 2, NULL, SHMEM_CMP_EQ, 2) == 1);
  CHECK(shmem_int_test_all(flags, 2, NULL, SHMEM_CMP_GE, 1) == 1);
  CHECK(shmem_test_some(flags, 2, which, NULL, SHMEM_CMP_EQ, 1) == 1 && which[0] == 0);
  shmem_signal_set(const_cast<std::uint64_t*>(&volatile_signal), 5, next);
  CHECK(shmem_signal_wait_until(&volatile_signal, SHMEM_CMP_EQ, 5) == 5);
}

CHAPTER(CASE(overloads_take_a_context_or_not), CASE(types_of_a_width_are_overloaded_once),
        CASE(complex_numbers_are_summed), CASE(complex_numbers_of_c_are_summed), CASE(names_of_1_6_are_there_with_an_x),
        CASE(a_profiler_may_be_in_cxx), CASE(both_forms_of_sync_and_signals_are_there),
        CASE(a_volatile_variable_can_be_waited_for), CASE(volatile_variables_can_be_waited_for_together))
