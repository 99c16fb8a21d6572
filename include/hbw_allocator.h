/* SPDX-License-Identifier: Apache-2.0 */

// hbw::allocator: high-bandwidth memory for containers of C++, by hbwmalloc.h. Without state: all are equal.
#ifndef WEIR_HBW_ALLOCATOR_H
#define WEIR_HBW_ALLOCATOR_H

#include <hbwmalloc.h>

#include <cstddef>
#include <limits>
#include <new>

namespace hbw {  // NOLINT(readability-identifier-naming): memkind's

template <class T>
class allocator {  // NOLINT(readability-identifier-naming): memkind's
 public:
  using value_type = T;

  allocator() noexcept = default;
  template <class U>
  allocator(const allocator<U>&) noexcept {}

  // Throws std::bad_alloc where the policy (hbw_set_policy()) finds no room.
  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
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

  void deallocate(T* data, std::size_t) noexcept { hbw_free(data); }
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
