// SPDX-License-Identifier: Apache-2.0

#include "memkind/kinds.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>

#include "memkind/huge_pages.hpp"
#include "memkind/memkind.h"
#include "memkind/report.hpp"

namespace weir::memkinds {

namespace {

using alloc::TierHeap;
using memory::TierKind;
using Source = memkind::Source;

// Heaps that a kind was asked of, by their source, so that memory finds the one that it is from.
std::array<std::atomic<TierHeap*>, 10> heaps_in_use{};

TierHeap& largest() {
  TierHeap* result = &TierHeap::shared(TierKind::ddr);
  for (const TierKind kind : {TierKind::hbm, TierKind::cxl, TierKind::nvm}) {
    TierHeap& heap = TierHeap::shared(kind);
    if (heap.exists() && heap.largest_node() > result->largest_node()) result = &heap;
  }
  return *result;
}

TierHeap& first_of(TierKind one, TierKind other) {
  TierHeap& heap = TierHeap::shared(one);
  return heap.exists() ? heap : TierHeap::shared(other);
}

TierHeap* find_heap(Source source) {
  switch (source) {
    case Source::hbm: return &TierHeap::shared(TierKind::hbm);
    case Source::ddr:
    case Source::latency: return &TierHeap::shared(TierKind::ddr);
    case Source::far: return &first_of(TierKind::cxl, TierKind::nvm);
    case Source::capacity: return &largest();
    case Source::bandwidth: return &first_of(TierKind::hbm, TierKind::ddr);
    case Source::everything: return &TierHeap::of_all_kinds();
    case Source::ordinary:
    case Source::huge:
    case Source::none: break;
  }
  return nullptr;
}

// Null for kinds without one.
TierHeap* heap_of(Source source) noexcept {
  std::atomic<TierHeap*>& place = heaps_in_use[static_cast<std::size_t>(source)];
  if (TierHeap* const found = place.load(); found != nullptr) return found;
  try {
    TierHeap* const heap = find_heap(source);
    place.store(heap);
    if (heap != nullptr) watch(*heap);
    return heap;
  } catch (const std::exception&) {  // no memory to look at the machine
    return nullptr;
  }
}

TierHeap* owner_of(const void* data) noexcept {
  for (const auto& place : heaps_in_use)
    if (TierHeap* const heap = place.load(); heap != nullptr && heap->owns(data)) return heap;
  return nullptr;
}

void* ordinary(std::size_t size, std::size_t alignment) noexcept {
  void* data = nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return posix_memalign(&data, std::max(alignment, sizeof(void*)), size) == 0 ? data : nullptr;
}

int unavailable(const memkind& kind, int error, const std::string& why) noexcept {
  tell_once(kind, fmt::format("{} cannot be had: {}", kind.name, why));
  return error;
}

}  // namespace

int check_available(const memkind& kind) noexcept {
  if (kind.source == Source::ordinary) return MEMKIND_SUCCESS;
  try {
    if (kind.source == Source::none)
      return unavailable(kind, MEMKIND_ERROR_UNAVAILABLE,
                         "Weir has no such kind; MEMKIND_HBW has large pages where the kernel has them free");
    if (kind.source == Source::huge) {
      if (huge_pages_free() > 0) return MEMKIND_SUCCESS;
      return unavailable(kind, MEMKIND_ERROR_HUGETLB, "no huge pages are free (/proc/sys/vm/nr_hugepages)");
    }
    const TierHeap* const heap = heap_of(kind.source);
    if (heap == nullptr) return MEMKIND_ERROR_RUNTIME;
    if (heap->exists()) return MEMKIND_SUCCESS;
    return unavailable(kind, MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE,
                       kind.source == Source::far
                           ? "this machine has neither cxl nor nvm memory that this process may use"
                           : heap->status().message);
  } catch (const std::exception&) {  // no memory for a message
    return MEMKIND_ERROR_RUNTIME;
  }
}

void* allocate(const memkind& kind, std::size_t size, std::size_t alignment) noexcept {
  if (kind.source == Source::ordinary) return ordinary(size, alignment);
  if (kind.source == Source::huge) return map_huge(size, alignment);
  TierHeap* const heap = heap_of(kind.source);
  void* const data = heap == nullptr ? nullptr : heap->allocate(size, alignment, kind.reach);
  if (data != nullptr || !kind.prefers) return data;
  if (heap != nullptr) heap->count_fallback(kind.name);
  return ordinary(size, alignment);
}

void free(void* data) noexcept {
  if (TierHeap* const heap = owner_of(data); heap != nullptr) return heap->free(data);
  if (!unmap_huge(data)) std::free(data);
}

std::size_t usable_size(void* data) noexcept {
  if (data == nullptr) return 0;
  if (const TierHeap* const heap = owner_of(data); heap != nullptr) return heap->size_of(data);
  const std::size_t huge = size_of_huge(data);
  return huge > 0 ? huge : malloc_usable_size(data);
}

Source source_of(const void* data) noexcept {
  for (std::size_t source = 0; source < heaps_in_use.size(); ++source)
    if (const TierHeap* const heap = heaps_in_use[source].load(); heap != nullptr && heap->owns(data))
      return static_cast<Source>(source);
  return size_of_huge(data) > 0 ? Source::huge : Source::ordinary;
}

}  // namespace weir::memkinds
