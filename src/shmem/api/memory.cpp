// SPDX-License-Identifier: Apache-2.0

// The symmetric heap, under its names of today and of OpenSHMEM 1.1.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "shmem/api/checks.hpp"
#include "shmem/api/entry.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/heap/private_blocks.hpp"
#include "shmem/world/in_library.hpp"

namespace weir::shmem::api {
namespace {

void* allocate_cleared_private(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const data = allocate_private(1, bytes);
  if (data != nullptr) std::memset(data, 0, bytes);
  return data;
}

// Nothing is allocated, and nobody waits, for 0 bytes. What may be called by a program's operator new, and so from
// within the library, has memory of this PE's alone then.
void* do_malloc(std::size_t size) {
  if (InLibrary::is()) return allocate_private(1, size);
  const InLibrary inside;
  if (is_checked() && size != 0) check_heap("malloc", fmt::format("size {}", size));
  return allocate(size);
}
void* do_calloc(std::size_t count, std::size_t size) {
  if (InLibrary::is()) return allocate_cleared_private(count, size);
  const InLibrary inside;
  if (is_checked() && count != 0 && size != 0) check_heap("calloc", fmt::format("count {}, size {}", count, size));
  return allocate_cleared(count, size);
}
void* do_align(std::size_t alignment, std::size_t size) {
  if (InLibrary::is()) return allocate_private(alignment, size);
  const InLibrary inside;
  if (is_checked() && size != 0) check_heap("align", fmt::format("alignment {}, size {}", alignment, size));
  return allocate_aligned(alignment, size);
}
void* do_realloc(void* ptr, std::size_t size) {
  if (ptr == nullptr) return do_malloc(size);
  const InLibrary inside;
  if (is_checked()) check_release("realloc", ptr, fmt::format("size {}", size));
  return reallocate(ptr, size);
}
// OpenSHMEM 1.0 has a null pointer for a block that was freed.
void* do_old_realloc(void* ptr, std::size_t size) {
  if (ptr == nullptr || block_at(ptr) != BlockState::free) return do_realloc(ptr, size);
  std::fprintf(stderr, "weir: PE %d of %d: shrealloc: %p was freed before, or never given: the answer is NULL\n",
               world().my_pe, world().n_pes, ptr);
  return nullptr;
}
void* do_malloc_with_hints(std::size_t size, long hints) {
  if (InLibrary::is()) return allocate_private(1, size);
  const InLibrary inside;
  if (is_checked() && size != 0 && (hints & kNoBarrier) == 0)
    check_heap("malloc_with_hints", fmt::format("size {}, hints {}", size, hints));
  return allocate_with_hints(size, hints);
}
void do_free(void* ptr) {
  if (release_private(ptr)) return;
  const InLibrary inside;
  if (is_checked()) check_release("free", ptr);
  release(ptr);
}

}  // namespace
}  // namespace weir::shmem::api

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void*, shmem_malloc, (std::size_t size)) { return api::do_malloc(size); }
WEIR_SHMEM_ENTRY(void*, shmem_calloc, (std::size_t count, std::size_t size)) { return api::do_calloc(count, size); }
WEIR_SHMEM_ENTRY(void*, shmem_align, (std::size_t alignment, std::size_t size)) {
  return api::do_align(alignment, size);
}
WEIR_SHMEM_ENTRY(void*, shmem_realloc, (void* ptr, std::size_t size)) { return api::do_realloc(ptr, size); }
WEIR_SHMEM_ENTRY(void*, shmem_malloc_with_hints, (std::size_t size, long hints)) {
  return api::do_malloc_with_hints(size, hints);
}
WEIR_SHMEM_ENTRY(void, shmem_free, (void* ptr)) { api::do_free(ptr); }

WEIR_SHMEM_ENTRY(void*, shmalloc, (std::size_t size)) { return api::do_malloc(size); }
WEIR_SHMEM_ENTRY(void*, shmemalign, (std::size_t alignment, std::size_t size)) {
  return api::do_align(alignment, size);
}
WEIR_SHMEM_ENTRY(void*, shrealloc, (void* ptr, std::size_t size)) { return api::do_old_realloc(ptr, size); }
WEIR_SHMEM_ENTRY(void, shfree, (void* ptr)) { api::do_free(ptr); }

}  // namespace weir::shmem
