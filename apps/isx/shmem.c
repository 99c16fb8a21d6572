/* SPDX-License-Identifier: Apache-2.0 */

/* Integer sort in OpenSHMEM, after ISx (Hanebutte, Hemstad): `isx_shmem --keys K --scaling weak`. Every PE draws keys
 * at random, sorts them in a bucket for each PE, reserves room in the bucket's owner by a fetch-and-add and puts them
 * there; then each counts and sorts what it has got.
 *
 * It is checked that each PE has got keys of its bucket alone, in order, and that all PEs together still have all keys:
 * as many, with the same sum and the same sum of squares. */
#include "apps/common/shmem_app.h"

typedef uint32_t Key;

typedef struct Sort {
  uint64_t keys;     /* that this PE draws */
  uint64_t width;    /* of a bucket: the owner of a key is key / width */
  uint64_t most;     /* keys that fit into a bucket */
  Key *drawn, *sent; /* this PE's keys: as drawn; by bucket */
  uint64_t* begins;  /* of each bucket in `sent`; one more at the end */
  Key* received;     /* symmetric: the bucket of this PE */
  long* count;       /* symmetric: how many are in it */
  uint32_t* counts;  /* of each value in this PE's bucket */
} Sort;

typedef struct Sums {
  uint64_t keys, sum, squares;
} Sums;

static uint64_t next_random(uint64_t* state) {
  uint64_t x = *state += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

static void draw(const Sort* s, uint64_t values, uint64_t round) {
  uint64_t state = round * 1000003 + (uint64_t)shmem_my_pe();
  next_random(&state);
  for (uint64_t i = 0; i < s->keys; ++i) s->drawn[i] = (Key)(next_random(&state) % values);
}

static void sort_by_bucket(const Sort* s) {
  const uint64_t pes = (uint64_t)shmem_n_pes();
  memset(s->begins, 0, (pes + 2) * sizeof *s->begins);
  uint64_t* const next = s->begins + 1; /* of each bucket; at the end, where the next one begins */
  for (uint64_t i = 0; i < s->keys; ++i) ++next[s->drawn[i] / s->width + 1];
  for (uint64_t b = 1; b <= pes; ++b) next[b] += next[b - 1];
  for (uint64_t i = 0; i < s->keys; ++i) s->sent[next[s->drawn[i] / s->width]++] = s->drawn[i];
}

/* Each PE begins with itself, so that not all send to one. */
static void exchange(const Sort* s) {
  const int pes = shmem_n_pes();
  for (int i = 0; i < pes; ++i) {
    const int owner = (shmem_my_pe() + i) % pes;
    const uint64_t begin = s->begins[owner], count = s->begins[owner + 1] - begin;
    const uint64_t at = (uint64_t)shmem_long_atomic_fetch_add(s->count, (long)count, owner);
    if (at + count > s->most)
      app_fail("the bucket of PE %d has room for %llu keys: take more keys, so that buckets are more alike", owner,
               (unsigned long long)s->most);
    if (count > 0) shmem_putmem(s->received + at, s->sent + begin, count * sizeof(Key), owner);
  }
  shmem_barrier_all();
}

static void sort_bucket(const Sort* s) {
  const uint64_t first = (uint64_t)shmem_my_pe() * s->width, count = (uint64_t)*s->count;
  memset(s->counts, 0, s->width * sizeof *s->counts);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t value = s->received[i] - first;
    if (value >= s->width) app_fail("got the key %u, which is not of its bucket", s->received[i]);
    ++s->counts[value];
  }
  Key* next = s->received;
  for (uint64_t value = 0; value < s->width; ++value)
    for (uint32_t i = 0; i < s->counts[value]; ++i) *next++ = (Key)(first + value);
}

static Sums sums_of(const Key* keys, uint64_t count) {
  Sums sums = {count, 0, 0};
  for (uint64_t i = 0; i < count; ++i) sums.sum += keys[i], sums.squares += (uint64_t)keys[i] * keys[i];
  return sums;
}

/* Collective. */
static bool is_sorted(const Sort* s) {
  const uint64_t count = (uint64_t)*s->count;
  bool right = true;
  for (uint64_t i = 0; i < count; ++i)
    right = right && s->received[i] / s->width == (uint64_t)shmem_my_pe() &&
            (i == 0 || s->received[i - 1] <= s->received[i]);
  const Sums before = sums_of(s->drawn, s->keys), after = sums_of(s->received, count);
  long long missing[3] = {(long long)(before.keys - after.keys), (long long)(before.sum - after.sum),
                          (long long)(before.squares - after.squares)};
  app_whole_sums(missing, 3);
  return right && missing[0] == 0 && missing[1] == 0 && missing[2] == 0;
}

/* Collective. */
static Sort make_sort(uint64_t keys, uint64_t values) {
  const uint64_t pes = (uint64_t)shmem_n_pes();
  Sort s;
  s.keys = keys;
  s.width = values / pes + (values % pes != 0);
  s.most = (uint64_t)app_max((double)keys) * 3 / 2 + 4096;
  s.drawn = app_private(keys * sizeof(Key), "keys"), s.sent = app_private(keys * sizeof(Key), "keys by bucket");
  s.begins = app_private((pes + 2) * sizeof *s.begins, "buckets");
  s.counts = app_private(s.width * sizeof *s.counts, "counts");
  s.received = app_symmetric(s.most * sizeof(Key), "a bucket");
  s.count = app_symmetric(sizeof *s.count, "its count");
  return s;
}

static void free_sort(Sort* s) {
  shmem_free(s->count), shmem_free(s->received);
  free(s->drawn), free(s->sent), free(s->begins), free(s->counts);
}

static const char* const kScalings[] = {"weak", "strong", NULL};

int main(int argc, char** argv) {
  AppOption options[] = {
      {"keys", "for each PE with weak scaling, in all with strong", 1000000, 1, 10000000000, NULL},
      {"scaling", "what stays as more PEs are taken: keys for each (weak), or all keys", 0, 0, 0, kScalings},
      {"log2-values", "keys are from 0 to 2^L - 1", 24, 8, 31, NULL},
      {"rounds", "sorts, with new keys each", 3, 1, 1000000, NULL},
      {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "Sorts integers that are drawn at random on all PEs.", options, &status)) return status;
  const int pes = shmem_n_pes(), me = shmem_my_pe();
  const uint64_t asked = options[0].value, values = UINT64_C(1) << options[2].value, rounds = options[3].value;
  const uint64_t all = options[1].value == 1 ? asked : asked * (uint64_t)pes;
  Sort s = make_sort(app_first(all, pes, me + 1) - app_first(all, pes, me), values);
  bool right = true;
  double seconds = 0, exchanging = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    draw(&s, values, round);
    *s.count = 0;
    const double start = app_now();
    sort_by_bucket(&s);
    const double sent = app_seconds();
    exchange(&s);
    exchanging += app_seconds() - sent;
    sort_bucket(&s);
    seconds += app_now() - start;
    right = is_sorted(&s) && right;
  }
  free_sort(&s);
  const double exchanged = app_max(exchanging);
  return app_end(right,
                 "%llu keys on %s (%s scaling), %llu sorts in %.3f s, %.3f s of it exchanging, %.2f million keys/s",
                 (unsigned long long)all, app_pes(), kScalings[options[1].value], (unsigned long long)rounds, seconds,
                 exchanged, (double)(all * rounds) / seconds * 1e-6);
}
