// SPDX-License-Identifier: Apache-2.0

#include "memkind/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>

#include "alloc/huge_pages.hpp"
#include "memkind/memkind.h"
#include "memkind/report.hpp"

namespace weir::memkinds {

namespace {

using alloc::TierHeap;
using memory::TierKind;
using Source = memkind::Source;

constexpr const char* kNothingFar = "this machine has neither cxl nor nvm memory that this process may use";

// Heaps that a kind was asked of, by their source.
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
      if (alloc::has_huge_pages()) return MEMKIND_SUCCESS;
      return unavailable(kind, MEMKIND_ERROR_HUGETLB,
                         "no huge pages are set aside (/proc/sys/vm/nr_hugepages, nr_overcommit_hugepages)");
    }
    const TierHeap* const heap = heap_of(kind.source);
    if (heap == nullptr) return MEMKIND_ERROR_RUNTIME;
    if (heap->exists()) return MEMKIND_SUCCESS;
    return unavailable(kind, MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE,
                       kind.source == Source::far ? kNothingFar : heap->status().message);
  } catch (const std::exception&) {  // no memory for a message
    return MEMKIND_ERROR_RUNTIME;
  }
}

void* allocate(const memkind& kind, std::size_t size, std::size_t alignment) noexcept {
  if (kind.source == Source::ordinary) return ordinary(size, alignment);
  if (kind.source == Source::huge) return alloc::map_huge(size, alignment);
  TierHeap* const heap = heap_of(kind.source);
  void* const data = heap == nullptr ? nullptr : heap->allocate(size, alignment, kind.reach);
  if (data != nullptr || !kind.prefers) return data;
  void* const elsewhere = ordinary(size, alignment);
  if (heap != nullptr && elsewhere != nullptr)
    heap->count_fallback(kind.name, kind.source == Source::far ? kNothingFar : nullptr);
  return elsewhere;
}

Source source_of(const void* data) noexcept {
  const TierHeap* const heap = TierHeap::owner_of(data);
  if (heap == nullptr) return alloc::size_of_huge(data) > 0 ? Source::huge : Source::ordinary;
  if (!heap->kind()) return Source::everything;
  switch (*heap->kind()) {
    case TierKind::hbm: return Source::hbm;
    case TierKind::cxl:
    case TierKind::nvm: return Source::far;
    default: return Source::ddr;
  }
}

}  // namespace weir::memkinds
