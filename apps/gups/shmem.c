/* SPDX-License-Identifier: Apache-2.0 */

/* Random access in OpenSHMEM, after the benchmark of the HPC Challenge: `gups_shmem --log2-words L`. A table of 2^L
 * words of 64 bits lies in equal parts on all PEs. Each PE takes its share of one stream of random numbers, and changes
 * for each the word that it names, by an exclusive or with the number.
 *
 * The stream: x, 2 x, 4 x ... as polynomials over GF(2) modulo x^64 + x^2 + x + 1. Doing all updates a second time
 * makes the table what it was at first, word for word, as they are atomic. */
#include "apps/common/shmem_app.h"

static const uint64_t kPolynomial = 7;

static uint64_t next_number(uint64_t x) { return (x << 1) ^ ((int64_t)x < 0 ? kPolynomial : 0); }

/* The number at this position of the stream, by the squares x^(2^i). */
static uint64_t number_at(uint64_t position) {
  uint64_t square[64], x = 1;
  for (int i = 0; i < 64; ++i) {
    square[i] = x;
    x = next_number(next_number(x));
  }
  if (position == 0) return 1;
  int bit = 63 - __builtin_clzll(position);
  uint64_t number = 2;
  while (bit > 0) {
    uint64_t squared = 0;
    for (int i = 0; i < 64; ++i)
      if ((number >> i & 1) != 0) squared ^= square[i];
    number = squared;
    if ((position >> --bit & 1) != 0) number = next_number(number);
  }
  return number;
}

typedef struct Table {
  uint64_t* words; /* symmetric: this PE's part */
  uint64_t all, here;
} Table;

/* The seconds that `count` updates take, whose first is at this position. Collective. */
static double update(const Table* t, uint64_t position, uint64_t count) {
  const uint64_t here = t->here;
  const double start = app_now();
  uint64_t x = number_at(position);
  for (uint64_t i = 0; i < count; ++i) {
    x = next_number(x);
    const uint64_t word = x & (t->all - 1);
    shmem_uint64_atomic_xor(&t->words[word % here], x, (int)(word / here));
  }
  return app_now() - start; /* with the barrier, all updates are done */
}

static void fill(const Table* t) {
  for (uint64_t i = 0; i < t->here; ++i) t->words[i] = (uint64_t)shmem_my_pe() * t->here + i;
}

static uint64_t wrong_words(const Table* t) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < t->here; ++i) wrong += t->words[i] != (uint64_t)shmem_my_pe() * t->here + i;
  return wrong;
}

/* Of what all PEs have together, however many they are; moves when two words change places. */
static long long checksum(const Table* t) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < t->here; ++i)
    sum += t->words[i] % 1000003 * (((uint64_t)shmem_my_pe() * t->here + i) % 1009 + 1);
  return app_whole_sum((long long)(sum % 1000000007)) % 1000000007;
}

int main(int argc, char** argv) {
  AppOption options[] = {{"log2-words", "the table has 2^L words", 20, 1, 40, NULL},
                         {"updates", "for each word", 4, 1, 1000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "Updates of random words of a table on all PEs.", options, &status)) return status;
  const uint64_t pes = (uint64_t)shmem_n_pes(), all = UINT64_C(1) << options[0].value;
  if (all % pes != 0)
    return app_refuse("--log2-words %llu: the table cannot be cut in equal parts for %s; take a power of two of them",
                      (unsigned long long)options[0].value, app_pes());
  const Table table = {app_symmetric(all / pes * sizeof(uint64_t), "the table"), all, all / pes};
  const uint64_t each = table.here * options[1].value, position = each * (uint64_t)shmem_my_pe();
  fill(&table);
  const double seconds = update(&table, position, each);
  const bool changed = app_whole_sum((long long)wrong_words(&table)) > 0; /* else nothing has happened */
  const long long between = checksum(&table);
  update(&table, position, each);
  const long long wrong = app_whole_sum((long long)wrong_words(&table));
  shmem_free(table.words);
  return app_end(changed && wrong == 0,
                 "%llu words on %s, %llu updates in %.3f s, %.6f GUP/s, checksum %lld, %lld words wrong at the end",
                 (unsigned long long)all, app_pes(), (unsigned long long)(each * pes), seconds,
                 (double)(each * pes) / seconds * 1e-9, between, wrong);
}
