// SPDX-License-Identifier: Apache-2.0

// What Weir has beyond OpenSHMEM (shmemx.h).
#include <ctime>

#include "shmem/api/entry.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/shmemx.h"

static_assert(SHMEMX_MALLOC_PARTITION(1) == 1L << weir::shmem::kPartitionShift);
static_assert(SHMEMX_MALLOC_NO_BARRIER == weir::shmem::kNoBarrier);

WEIR_SHMEM_ENTRY(double, shmemx_wtime, (void)) {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
