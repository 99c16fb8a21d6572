// SPDX-License-Identifier: Apache-2.0

// The symmetric heap, under its names of today and of OpenSHMEM 1.1.
#include "shmem/api/entry.hpp"
#include "shmem/heap/heap.hpp"

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void*, shmem_malloc, (std::size_t size)) { return allocate(size); }
WEIR_SHMEM_ENTRY(void*, shmem_calloc, (std::size_t count, std::size_t size)) { return allocate_cleared(count, size); }
WEIR_SHMEM_ENTRY(void*, shmem_align, (std::size_t alignment, std::size_t size)) {
  return allocate_aligned(alignment, size);
}
WEIR_SHMEM_ENTRY(void*, shmem_realloc, (void* ptr, std::size_t size)) { return reallocate(ptr, size); }
WEIR_SHMEM_ENTRY(void*, shmem_malloc_with_hints, (std::size_t size, long hints)) {
  return allocate_with_hints(size, hints);
}
WEIR_SHMEM_ENTRY(void, shmem_free, (void* ptr)) { release(ptr); }

WEIR_SHMEM_ENTRY(void*, shmalloc, (std::size_t size)) { return allocate(size); }
WEIR_SHMEM_ENTRY(void*, shmemalign, (std::size_t alignment, std::size_t size)) {
  return allocate_aligned(alignment, size);
}
WEIR_SHMEM_ENTRY(void*, shrealloc, (void* ptr, std::size_t size)) { return reallocate(ptr, size); }
WEIR_SHMEM_ENTRY(void, shfree, (void* ptr)) { release(ptr); }

}  // namespace weir::shmem
