// SPDX-License-Identifier: Apache-2.0

// A program whose operator new gives symmetric memory while it is to: the vectors of all PEs can be put into.
#include <shmem.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

static bool is_symmetric = false;

void* operator new(std::size_t bytes) {
  void* const data = is_symmetric ? shmem_malloc(bytes) : std::malloc(bytes);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
void operator delete(void* data) noexcept {
  if (is_symmetric && shmem_ptr(data, shmem_my_pe()) != nullptr)
    shmem_free(data);
  else
    std::free(data);
}
void operator delete(void* data, std::size_t) noexcept { operator delete(data); }

int main() {
  shmem_init();
  const int me = shmem_my_pe(), n_pes = shmem_n_pes();
  is_symmetric = true;
  long came = -1;
  {
    std::vector<std::vector<long>> all(100, std::vector<long>(10, me));
    shmem_long_p(&all[99][9], me, (me + 1) % n_pes);
    shmem_barrier_all();
    came = all[99][9];
    operator delete(operator new (std::size_t{80} << 20));  // more than is given without a look at the machine's memory
  }
  is_symmetric = false;
  shmem_finalize();
  std::printf("PE %d has %ld\n", me, came);
  return 0;
}
