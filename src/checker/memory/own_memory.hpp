// SPDX-License-Identifier: Apache-2.0

// OwnMemory: memory that shares no page with the program's, for all that the handlers of faults read and write.
//
// While a task runs, pages of the program's heap, stack and globals are closed; what malloc() would give may lie there.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace weir::checker {

class OwnMemory final : public std::pmr::memory_resource {
 private:
  static constexpr std::size_t kPage = 4096;
  static std::size_t rounded(std::size_t bytes) noexcept { return (bytes + kPage - 1) & ~(kPage - 1); }

  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* const memory =
        mmap(nullptr, rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override { munmap(memory, rounded(bytes)); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace weir::checker
