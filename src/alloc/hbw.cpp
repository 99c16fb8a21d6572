// SPDX-License-Identifier: Apache-2.0

#include "alloc/hbw.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "alloc/any_memory.hpp"
#include "platform/pages.hpp"

namespace weir::alloc {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

Reach reach_of(hbw_policy_t policy) noexcept {
  switch (policy) {
    case HBW_POLICY_INTERLEAVE: return Reach::interleaved;
    case HBW_POLICY_BIND_ALL: return Reach::all;
    case HBW_POLICY_BIND:
    case HBW_POLICY_PREFERRED: break;
  }
  return Reach::nearest;
}

void* ordinary(std::size_t size, std::size_t alignment) noexcept {
  void* data = nullptr;
  return posix_memalign(&data, std::max(alignment, memory::Arena::kSmall), size) == 0 ? data : nullptr;
}

void* or_no_memory(void* data) noexcept {
  if (data == nullptr) errno = ENOMEM;
  return data;
}

void touch(std::byte* data, std::size_t size, std::size_t page) noexcept {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(data) % page;
  for (std::size_t at = 0; at < size; at += at == 0 ? page - before : page) {
    volatile std::byte* const byte = data + at;
    *byte = *byte;
  }
}

}  // namespace

int Hbw::check_available() const noexcept { return heap_.exists() ? 0 : ENODEV; }

hbw_policy_t Hbw::policy() const noexcept { return static_cast<hbw_policy_t>(policy_.load() & ~kFixed); }

int Hbw::set_policy(int mode) noexcept {
  if (mode < HBW_POLICY_BIND || mode > HBW_POLICY_BIND_ALL) return EINVAL;
  std::uint32_t unset = HBW_POLICY_PREFERRED;
  return policy_.compare_exchange_strong(unset, static_cast<std::uint32_t>(mode) | kFixed) ? 0 : EPERM;
}

void* Hbw::take(std::size_t size, std::size_t alignment) noexcept {
  if ((policy_.load() & kFixed) == 0) policy_.fetch_or(kFixed);
  const hbw_policy_t policy = this->policy();
  void* const data = heap_.allocate(size, alignment, reach_of(policy));
  if (data != nullptr || policy != HBW_POLICY_PREFERRED) return data;
  void* const elsewhere = ordinary(size, alignment);
  if (elsewhere != nullptr) heap_.count_fallback("hbw_malloc");
  return elsewhere;
}

void* Hbw::allocate(std::size_t size) noexcept { return size == 0 ? nullptr : or_no_memory(take(size, 1)); }

void* Hbw::allocate_zeroed(std::size_t num, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(num, size, &bytes)) return or_no_memory(nullptr);
  void* const data = allocate(bytes);
  return data == nullptr ? nullptr : std::memset(data, 0, bytes);
}

void* Hbw::reallocate(void* ptr, std::size_t size) noexcept {
  if (ptr == nullptr) return allocate(size);
  if (size == 0) {
    free(ptr);
    return nullptr;
  }
  const std::size_t before = usable_size(ptr);
  if (size <= before && size > before / 2) return ptr;
  void* const data = allocate(size);
  if (data == nullptr) return nullptr;
  std::memcpy(data, ptr, std::min(size, before));
  free(ptr);
  return data;
}

void Hbw::free(void* ptr) noexcept {
  if (heap_.owns(ptr)) return heap_.free(ptr);
  free_any(ptr);
}

std::size_t Hbw::usable_size(void* ptr) const noexcept {
  return heap_.owns(ptr) ? heap_.size_of(ptr) : size_of_any(ptr);
}

int Hbw::memalign(void** memptr, std::size_t alignment, std::size_t size) noexcept {
  if (!std::has_single_bit(alignment) || alignment < sizeof(void*)) return EINVAL;
  if (size == 0) {
    *memptr = nullptr;
    return 0;
  }
  void* const data = take(size, alignment);
  if (data == nullptr) return ENOMEM;
  *memptr = data;
  return 0;
}

int Hbw::memalign_psize(void** memptr, std::size_t alignment, std::size_t size, int pagesize) noexcept {
  if (pagesize == HBW_PAGESIZE_4KB) return memalign(memptr, alignment, size);
  if (pagesize != HBW_PAGESIZE_2MB || policy() == HBW_POLICY_INTERLEAVE) return EINVAL;
  if (!std::has_single_bit(alignment) || alignment < sizeof(void*)) return EINVAL;
  if (size > SIZE_MAX - kLargePage) return ENOMEM;
  const std::size_t whole = (size + kLargePage - 1) / kLargePage * kLargePage;
  return memalign(memptr, std::max(alignment, kLargePage), whole);
}

int Hbw::verify(void* addr, std::size_t size, int flags) const noexcept {
  if (addr == nullptr || size == 0 || (flags & ~HBW_TOUCH_PAGES) != 0) return EINVAL;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const data = static_cast<std::byte*>(addr);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(addr) % page;
  if (size > SIZE_MAX - 2 * page) return EFAULT;
  if ((flags & HBW_TOUCH_PAGES) != 0) touch(data, size, page);
  try {
    const std::size_t whole = (before + size + page - 1) / page * page;
    const auto places = platform::places_of(data - before, {whole}, heap_.os_nodes());
    if (!places) return EFAULT;
    return places->elsewhere + places->absent == 0 ? 0 : -1;
  } catch (const std::exception&) {  // no memory to ask with
    return EFAULT;
  }
}

}  // namespace weir::alloc
