// SPDX-License-Identifier: Apache-2.0

// The functions and kinds of memkind.h, as names that OpenMP's libraries look up.
#include "memkind/memkind.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "alloc/any_memory.hpp"
#include "memkind/kinds.hpp"

namespace {

using weir::alloc::Reach;
using Source = memkind::Source;

constexpr bool kOrNone = false, kOrOrdinary = true;

#define WEIR_KINDS(X)                                                                                                  \
  X(DEFAULT, ordinary, nearest, kOrNone)                                                                               \
  X(REGULAR, ddr, all, kOrNone)                                                                                        \
  X(INTERLEAVE, everything, interleaved, kOrNone)                                                                      \
  X(HBW, hbm, nearest, kOrNone)                                                                                        \
  X(HBW_ALL, hbm, all, kOrNone)                                                                                        \
  X(HBW_PREFERRED, hbm, nearest, kOrOrdinary)                                                                          \
  X(HBW_INTERLEAVE, hbm, interleaved, kOrNone)                                                                         \
  X(DAX_KMEM, far, nearest, kOrNone)                                                                                   \
  X(DAX_KMEM_ALL, far, all, kOrNone)                                                                                   \
  X(DAX_KMEM_PREFERRED, far, nearest, kOrOrdinary)                                                                     \
  X(DAX_KMEM_INTERLEAVE, far, interleaved, kOrNone)                                                                    \
  X(HIGHEST_CAPACITY, capacity, all, kOrNone)                                                                          \
  X(HIGHEST_CAPACITY_PREFERRED, capacity, all, kOrOrdinary)                                                            \
  X(HIGHEST_CAPACITY_LOCAL, capacity, nearest, kOrNone)                                                                \
  X(HIGHEST_CAPACITY_LOCAL_PREFERRED, capacity, nearest, kOrOrdinary)                                                  \
  X(HIGHEST_BANDWIDTH_LOCAL, bandwidth, nearest, kOrNone)                                                              \
  X(HIGHEST_BANDWIDTH_LOCAL_PREFERRED, bandwidth, nearest, kOrOrdinary)                                                \
  X(LOWEST_LATENCY_LOCAL, latency, nearest, kOrNone)                                                                   \
  X(LOWEST_LATENCY_LOCAL_PREFERRED, latency, nearest, kOrOrdinary)                                                     \
  X(HUGETLB, huge, nearest, kOrNone)                                                                                   \
  X(HBW_HUGETLB, none, nearest, kOrNone)                                                                               \
  X(HBW_ALL_HUGETLB, none, nearest, kOrNone)                                                                           \
  X(HBW_PREFERRED_HUGETLB, none, nearest, kOrNone)

#define WEIR_KIND(name, source, reach, prefers)                                                                        \
  constinit memkind kind_##name{"MEMKIND_" #name, Source::source, Reach::reach, prefers};
WEIR_KINDS(WEIR_KIND)
#undef WEIR_KIND

// Of memory whose policy is not known: ordinary memory where it finds no room, as it may be that of a kind which
// prefers.
memkind_t kind_that_goes_on(const void* data) noexcept {
  switch (weir::memkinds::source_of(data)) {
    case Source::hbm: return &kind_HBW_PREFERRED;
    case Source::ddr: return &kind_REGULAR;
    case Source::far: return &kind_DAX_KMEM_PREFERRED;
    case Source::everything: return &kind_INTERLEAVE;
    case Source::huge: return &kind_HUGETLB;
    default: return &kind_DEFAULT;
  }
}

void* failed(int error) noexcept {
  errno = error;
  return nullptr;
}

void* allocate(memkind_t kind, std::size_t size) noexcept {
  if (kind == nullptr) return failed(EINVAL);
  if (size == 0) return nullptr;
  void* const data = weir::memkinds::allocate(*kind, size, 1);
  return data == nullptr ? failed(ENOMEM) : data;
}

const char* message_of(int error) noexcept {
  switch (error) {
    case MEMKIND_SUCCESS: return "success";
    case MEMKIND_ERROR_UNAVAILABLE: return "there is no such kind of memory here";
    case MEMKIND_ERROR_MALLOC: return "not enough memory";
    case MEMKIND_ERROR_INVALID: return "an argument is wrong";
    case MEMKIND_ERROR_HUGETLB: return "no huge pages are set aside";
    case MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE: return "the machine has no such memory that the process may use";
    default: return "unknown error";
  }
}

}  // namespace

extern "C" {

#define WEIR_KIND(name, source, reach, prefers) memkind_t MEMKIND_##name = &kind_##name;
WEIR_KINDS(WEIR_KIND)
#undef WEIR_KIND

int memkind_check_available(memkind_t kind) {
  return kind == nullptr ? MEMKIND_ERROR_INVALID : weir::memkinds::check_available(*kind);
}

memkind_t memkind_detect_kind(void* ptr) {
  if (ptr == nullptr) return nullptr;
  switch (weir::memkinds::source_of(ptr)) {
    case Source::hbm: return MEMKIND_HBW;
    case Source::ddr: return MEMKIND_REGULAR;
    case Source::far: return MEMKIND_DAX_KMEM;
    case Source::everything: return MEMKIND_INTERLEAVE;
    case Source::huge: return MEMKIND_HUGETLB;
    default: return MEMKIND_DEFAULT;
  }
}

void* memkind_malloc(memkind_t kind, size_t size) { return allocate(kind, size); }

void* memkind_calloc(memkind_t kind, size_t num, size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(num, size, &bytes)) return failed(ENOMEM);
  void* const data = allocate(kind, bytes);
  return data == nullptr ? nullptr : std::memset(data, 0, bytes);
}

void* memkind_realloc(memkind_t kind, void* ptr, size_t size) {
  if (ptr == nullptr) return allocate(kind, size);
  if (size == 0) {
    weir::alloc::free_any(ptr);
    return nullptr;
  }
  const std::size_t before = weir::alloc::size_of_any(ptr);
  if (size <= before && size > before / 2) return ptr;
  void* const data = allocate(kind == nullptr ? kind_that_goes_on(ptr) : kind, size);
  if (data == nullptr) return nullptr;
  std::memcpy(data, ptr, std::min(size, before));
  weir::alloc::free_any(ptr);
  return data;
}

void memkind_free(memkind_t, void* ptr) { weir::alloc::free_any(ptr); }

int memkind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size) {
  if (kind == nullptr || !std::has_single_bit(alignment) || alignment < sizeof(void*)) return EINVAL;
  *memptr = nullptr;
  if (size == 0) return 0;
  *memptr = weir::memkinds::allocate(*kind, size, alignment);
  return *memptr == nullptr ? ENOMEM : 0;
}

size_t memkind_malloc_usable_size(memkind_t, void* ptr) { return weir::alloc::size_of_any(ptr); }

int memkind_get_version(void) { return 1'014'000; }

void memkind_error_message(int err, char* msg, size_t size) { std::snprintf(msg, size, "%s", message_of(err)); }
}
