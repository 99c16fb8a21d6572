// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/fresh_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace weir::bench {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kReserved = std::size_t{256} << 20;  // addresses taken from the kernel at a time

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + kPage - 1) / kPage * kPage; }

std::byte* next_free = nullptr;
std::size_t bytes_free = 0;

}  // namespace

std::byte* take_fresh_memory(std::size_t bytes) {
  const std::size_t needed = whole_pages(bytes);
  if (needed > bytes_free) {
    const std::size_t size = std::max(kReserved, needed);
    void* const reserved =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw std::bad_alloc();
    next_free = static_cast<std::byte*>(reserved);
    bytes_free = size;
  }
  std::byte* const memory = next_free;
  next_free += needed;
  bytes_free -= needed;
  return memory;
}

void drop_fresh_memory(std::byte* memory, std::size_t bytes) noexcept {
  ::madvise(memory, whole_pages(bytes), MADV_DONTNEED);
}

}  // namespace weir::bench
