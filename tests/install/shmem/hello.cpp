// SPDX-License-Identifier: Apache-2.0

// The same in C++, by overloads.
#include <shmem.h>

#include <cstdio>

namespace {
long count = 0;
}

int main() {
  shmem_init();
  shmem_atomic_inc(&count, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) std::printf("C++: %ld of %d PEs\n", count, shmem_n_pes());
  shmem_finalize();
}
