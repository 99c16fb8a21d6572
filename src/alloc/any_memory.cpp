// SPDX-License-Identifier: Apache-2.0

#include "alloc/any_memory.hpp"

#include <malloc.h>

#include <cstdlib>

#include "alloc/huge_pages.hpp"
#include "alloc/tier_heap.hpp"

namespace weir::alloc {

void free_any(void* data) noexcept {
  if (TierHeap* const heap = TierHeap::owner_of(data); heap != nullptr) return heap->free(data);
  if (!unmap_huge(data)) std::free(data);
}

std::size_t size_of_any(void* data) noexcept {
  if (const TierHeap* const heap = TierHeap::owner_of(data); heap != nullptr) return heap->size_of(data);
  const std::size_t huge = size_of_huge(data);
  return huge > 0 ? huge : malloc_usable_size(data);
}

}  // namespace weir::alloc
