// SPDX-License-Identifier: Apache-2.0

// Questions in loops, without an answer. Prints for each kind whether some of them have given others of the same
// processor a turn, or none (edges_test.py).
#define _GNU_SOURCE
#include <shmem.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long yields;
// In place of the C library's.
int sched_yield(void) {
  ++yields;
  return (int)syscall(SYS_sched_yield);
}
// Turns that this thread has given away: by sleeps, too, which it has where other programs take what is yielded.
static long turns_given(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return yields + used.ru_nvcsw;
}

// A thread gives away a few turns for other reasons.
enum { MOST_ASKED = 20000, MANY_TURNS = 100, WORDS = 3 };
static long words[WORDS], wanted[WORDS] = {1, 1, 1}, lock_word = 7, counter, value;
static unsigned long bits = 4;
static uint64_t signal_word;
static size_t indices[WORDS];

static int test(int pe) { return (void)pe, shmem_long_test(words, SHMEM_CMP_EQ, 1); }
static int test_all(int pe) { return (void)pe, shmem_long_test_all(words, WORDS, NULL, SHMEM_CMP_EQ, 1); }
static int test_any(int pe) { return (void)pe, shmem_long_test_any(words, WORDS, NULL, SHMEM_CMP_EQ, 1) != SIZE_MAX; }
static int test_some(int pe) {
  return (void)pe, shmem_long_test_some(words, WORDS, indices, NULL, SHMEM_CMP_EQ, 1) != 0;
}
static int test_all_vector(int pe) {
  return (void)pe, shmem_long_test_all_vector(words, WORDS, NULL, SHMEM_CMP_EQ, wanted);
}
static int test_any_vector(int pe) {
  return (void)pe, shmem_long_test_any_vector(words, WORDS, NULL, SHMEM_CMP_EQ, wanted) != SIZE_MAX;
}
static int test_some_vector(int pe) {
  return (void)pe, shmem_long_test_some_vector(words, WORDS, indices, NULL, SHMEM_CMP_EQ, wanted) != 0;
}
static int signal_fetch(int pe) { return (void)pe, shmem_signal_fetch(&signal_word) != 0; }
static int g(int pe) { return shmem_long_g(words, pe) != 0; }
static int get(int pe) { return shmem_long_get(&value, words, 1, pe), value != 0; }
static int fetch(int pe) { return shmem_long_atomic_fetch(words, pe) != 0; }
static int compare_swap(int pe) { return shmem_long_atomic_compare_swap(&lock_word, 0, 1, pe) != 7; }
static int swap(int pe) { return shmem_long_atomic_swap(&lock_word, 7, pe) != 7; }
static int fetch_add(int pe) { return shmem_long_atomic_fetch_add(words, 0, pe) != 0; }
static int fetch_or(int pe) { return shmem_ulong_atomic_fetch_or(&bits, 4, pe) != 4; }

// What is no poll, or has its answer.
static int counts(int pe) { return shmem_long_atomic_fetch_inc(&counter, pe) < 0; }
static int reads_of_different_words(int pe) {
  static int turn;
  return shmem_long_g(words + ++turn % WORDS, pe) != 0;
}
static int locks_that_are_free(int pe) {
  static long free_lock;
  if (shmem_long_atomic_compare_swap(&free_lock, 0, 1, pe) != 0) return 1;
  return shmem_long_atomic_set(&free_lock, 0, pe), 0;
}
static int tests_that_hold(int pe) { return (void)pe, !shmem_long_test(words, SHMEM_CMP_EQ, 0); }

int main(void) {
  static const struct {
    const char* name;
    int (*ask)(int pe);
  } kinds[] = {{"test", test},
               {"test_all", test_all},
               {"test_any", test_any},
               {"test_some", test_some},
               {"test_all_vector", test_all_vector},
               {"test_any_vector", test_any_vector},
               {"test_some_vector", test_some_vector},
               {"signal_fetch", signal_fetch},
               {"g", g},
               {"get", get},
               {"fetch", fetch},
               {"compare_swap", compare_swap},
               {"swap", swap},
               {"fetch_add", fetch_add},
               {"fetch_or", fetch_or},
               {"counts", counts},
               {"reads_of_different_words", reads_of_different_words},
               {"locks_that_are_free", locks_that_are_free},
               {"tests_that_hold", tests_that_hold}};
  shmem_init();
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    shmem_barrier_all();
    const long before = turns_given();
    for (int asked = 0; asked < MOST_ASKED && (asked % 100 != 99 || turns_given() - before < MANY_TURNS); ++asked) {
      if (kinds[kind].ask(next)) shmem_global_exit(3);
    }
    printf("%s %s\n", kinds[kind].name, turns_given() - before < MANY_TURNS ? "none" : "some");
  }
  shmem_finalize();
  return 0;
}
