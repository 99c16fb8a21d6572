// SPDX-License-Identifier: Apache-2.0

// C++: what is a generic macro in C is an overload here, and complex numbers are std::complex.
#include <complex>
#include <vector>

#include "../check.h"

static double values[8];
static std::complex<double> numbers[2], sums[2];
static std::int64_t word;
static std::uint64_t signal_word;
static volatile int flag;

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
}

CHAPTER(CASE(overloads_take_a_context_or_not), CASE(types_of_a_width_are_overloaded_once),
        CASE(complex_numbers_are_summed), CASE(both_forms_of_sync_and_signals_are_there),
        CASE(a_volatile_variable_can_be_waited_for))
