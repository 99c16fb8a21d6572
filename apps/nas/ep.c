/* SPDX-License-Identifier: Apache-2.0 */

/* EP of the NAS Parallel Benchmarks in OpenSHMEM: `nas_ep_shmem --class S`. Pairs of random numbers in a square; those
 * in the circle become pairs of Gaussian deviates, which are added up and counted by the ring that they lie in.
 * "Embarrassingly parallel": the PEs come together for the sums alone.
 *
 * The sums are checked against the published ones to 1e-8, and the number of pairs exactly. */
#include <math.h>

#include "apps/common/shmem_app.h"
#include "apps/nas/random.h"

enum { kRings = 10, kLog2Batch = 16 };

typedef struct Class {
  int log2_pairs;
  double x, y;     /* the sums */
  long long pairs; /* in the circle */
} Class;

static const char* const kNames[] = {"S", "W", "A", "B", "C", NULL};
static const Class kClasses[] = {{24, -3.247834652034740e3, -6.958407078382297e3, 13176389},
                                 {25, -2.863319731645753e3, -6.320053679109499e3, 26354769},
                                 {28, -4.295875165629892e3, -1.580732573678431e4, 210832767},
                                 {30, 4.033815542441498e4, -2.660669192809235e4, 843345606},
                                 {32, 4.764367927995374e4, -8.084072988043731e4, 3373275903}};

typedef struct Sums {
  double x, y;
  long long ring[kRings];
} Sums;

/* Pairs [first, first + 1) in units of 2^kLog2Batch. */
static void add_batch(Sums* sums, uint64_t batch) {
  uint64_t seed = nas_times(271828183, nas_power(kNasFactor, batch << (kLog2Batch + 1)));
  for (int i = 0; i < 1 << kLog2Batch; ++i) {
    const double x = 2 * nas_next(&seed) - 1, y = 2 * nas_next(&seed) - 1, square = x * x + y * y;
    if (square > 1) continue;
    const double factor = sqrt(-2 * log(square) / square), gx = x * factor, gy = y * factor;
    ++sums->ring[(int)fmax(fabs(gx), fabs(gy))];
    sums->x += gx, sums->y += gy;
  }
}

static bool near(double is, double expected) { return fabs((is - expected) / expected) <= 1e-8; }

int main(int argc, char** argv) {
  AppOption options[] = {{"class", "size of the problem", 0, 0, 0, kNames}, {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "NAS EP: Gaussian deviates from pairs of random numbers.", options, &status))
    return status;
  const Class class = kClasses[options[0].value];
  const uint64_t batches = UINT64_C(1) << (class.log2_pairs - kLog2Batch);
  Sums sums;
  memset(&sums, 0, sizeof sums);
  const double start = app_now();
  const uint64_t end = app_first(batches, shmem_n_pes(), shmem_my_pe() + 1);
  for (uint64_t batch = app_first(batches, shmem_n_pes(), shmem_my_pe()); batch < end; ++batch) add_batch(&sums, batch);
  double both[2] = {sums.x, sums.y};
  app_sums(both, 2);
  app_whole_sums(sums.ring, kRings);
  const double seconds = app_now() - start;
  long long pairs = 0;
  for (int i = 0; i < kRings; ++i) pairs += sums.ring[i];
  const bool right = near(both[0], class.x) && near(both[1], class.y) && pairs == class.pairs;
  return app_end(right, "EP class %s on %s: %lld Gaussian pairs, sums %.15e and %.15e, %.3f s, %.2f Mop/s",
                 kNames[options[0].value], app_pes(), pairs, both[0], both[1], seconds,
                 ldexp(1, class.log2_pairs + 1) / seconds * 1e-6);
}
