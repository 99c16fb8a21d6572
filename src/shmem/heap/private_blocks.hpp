// SPDX-License-Identifier: Apache-2.0

// What shmem_malloc() gives to the library's own operator new (InLibrary): blocks of malloc(), of which shmem_free()
// has to know. And what the books of the heap take memory from, whatever operator new is. Any thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace weir::shmem {

template <class T>
struct MallocAllocator {
  using value_type = T;
  MallocAllocator() noexcept = default;
  template <class U>
  explicit(false) MallocAllocator(const MallocAllocator<U>&) noexcept {}  // as containers convert theirs

  T* allocate(std::size_t n) {
    void* const data = std::malloc(n * sizeof(T));  // NOLINT(bugprone-sizeof-expression): T may be a pointer
    if (data == nullptr) throw std::bad_alloc();
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) noexcept { std::free(data); }
  friend bool operator==(const MallocAllocator&, const MallocAllocator&) noexcept { return true; }
};

// Null: there is no memory. Aligned as for any type, and to `alignment`, a power of two.
void* allocate_private(std::size_t alignment, std::size_t bytes) noexcept;
// False: it is no such block, and nothing was done.
bool release_private(void* data) noexcept;

}  // namespace weir::shmem
