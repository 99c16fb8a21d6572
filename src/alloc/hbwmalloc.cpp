// SPDX-License-Identifier: Apache-2.0

#include "hbwmalloc.h"

#include <new>

#include "alloc/hbw.hpp"

namespace {

// Never destroyed: programs free memory in their last destructors.
weir::alloc::Hbw& hbw() noexcept {
  alignas(weir::alloc::Hbw) static std::byte memory[sizeof(weir::alloc::Hbw)];
  static auto* const instance =
      ::new (memory) weir::alloc::Hbw(weir::alloc::TierHeap::shared(weir::memory::TierKind::hbm));
  return *instance;
}

}  // namespace

extern "C" {

int hbw_check_available() { return hbw().check_available(); }
hbw_policy_t hbw_get_policy() { return hbw().policy(); }
int hbw_set_policy(hbw_policy_t mode) { return hbw().set_policy(mode); }
void* hbw_malloc(size_t size) { return hbw().allocate(size); }
void* hbw_calloc(size_t num, size_t size) { return hbw().allocate_zeroed(num, size); }
void* hbw_realloc(void* ptr, size_t size) { return hbw().reallocate(ptr, size); }
void hbw_free(void* ptr) { hbw().free(ptr); }
size_t hbw_malloc_usable_size(void* ptr) { return hbw().usable_size(ptr); }

int hbw_posix_memalign(void** memptr, size_t alignment, size_t size) { return hbw().memalign(memptr, alignment, size); }

int hbw_posix_memalign_psize(void** memptr, size_t alignment, size_t size, hbw_pagesize_t pagesize) {
  return hbw().memalign_psize(memptr, alignment, size, pagesize);
}

int hbw_verify_memory_region(void* addr, size_t size, int flags) { return hbw().verify(addr, size, flags); }
}
