// SPDX-License-Identifier: Apache-2.0

// Parts: an array in parts that lie on memory nodes, or behind memory controllers, in turn (Master::allocate_parts()).
#pragma once

#include <cstddef>

namespace weir::island {

namespace detail {

// Part i is in round i / places; a stripe has `in_stripe` parts of one place.
struct PartsLayout {
  std::size_t places;
  std::size_t in_stripe;
  std::size_t stripe;  // bytes between places
  std::size_t part;    // bytes between parts of one stripe
  std::size_t turn;    // bytes from a stripe of a place to its next

  std::size_t offset_of(std::size_t i) const noexcept {
    const std::size_t round = i / places;
    if (places == 1) return round * part;
    return round / in_stripe * turn + i % places * stripe + round % in_stripe * part;
  }
};

}  // namespace detail

// A value: tasks may capture it. The memory is that of the master, until Master::free(data()).
template <class T>
class Parts {
 public:
  Parts(void* data, const detail::PartsLayout& layout, std::size_t size, std::size_t length) noexcept
      : data_(static_cast<std::byte*>(data)), layout_(layout), size_(size), length_(length) {}

  // The first object of part i. What lies between two parts is padding.
  T* operator[](std::size_t i) const noexcept { return reinterpret_cast<T*>(data_ + layout_.offset_of(i)); }
  std::size_t size() const noexcept { return size_; }      // parts
  std::size_t length() const noexcept { return length_; }  // objects in each
  void* data() const noexcept { return data_; }

 private:
  std::byte* data_;
  detail::PartsLayout layout_;
  std::size_t size_, length_;
};

}  // namespace weir::island
