/* SPDX-License-Identifier: Apache-2.0 */

// hbw::allocator: high-bandwidth memory for containers of C++, by hbwmalloc.h. Without state: all are equal.
#ifndef WEIR_HBW_ALLOCATOR_H
#define WEIR_HBW_ALLOCATOR_H

#include <hbwmalloc.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace hbw {  // NOLINT(readability-identifier-naming): memkind's

template <class T>
class allocator {  // NOLINT(readability-identifier-naming): memkind's
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = typename std::add_lvalue_reference<T>::type;
  using const_reference = typename std::add_lvalue_reference<const T>::type;
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard's
    using other = allocator<U>;
  };

  allocator() noexcept = default;
  template <class U>
  allocator(const allocator<U>&) noexcept {}

  // Throws std::bad_alloc where the policy (hbw_set_policy()) finds no room.
  T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_alloc();
    const std::size_t bytes = count == 0 ? 1 : count * sizeof(T);
    void* data = nullptr;
    if (alignof(T) <= 64) {
      data = hbw_malloc(bytes);
    } else if (hbw_posix_memalign(&data, alignof(T), bytes) != 0) {
      data = nullptr;
    }
    if (data == nullptr) throw std::bad_alloc();
    return static_cast<T*>(data);
  }

  T* allocate(std::size_t count, const void*) { return allocate(count); }

  void deallocate(T* data, std::size_t) noexcept { hbw_free(data); }

  std::size_t max_size() const noexcept { return std::numeric_limits<std::size_t>::max() / sizeof(T); }

  // What allocators had before C++20, and memkind's has.
  template <class U>
  U* address(U& object) const noexcept {
    return std::addressof(object);
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  template <class U>
  void destroy(U* at) {
    at->~U();
  }
};

template <class T, class U>
bool operator==(const allocator<T>&, const allocator<U>&) noexcept {
  return true;
}
template <class T, class U>
bool operator!=(const allocator<T>&, const allocator<U>&) noexcept {
  return false;
}

}  // namespace hbw

#endif
