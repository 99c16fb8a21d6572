// SPDX-License-Identifier: Apache-2.0

// ZeroedArray: values of a number that is known from the start, all zero at first. Of a long one what was never touched
// takes no memory: the system gives its pages, zeroed, one by one. One thread, or under a lock.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weir::ocr {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  // Throws std::bad_alloc.
  explicit ZeroedArray(std::size_t count) : values_(static_cast<T*>(std::calloc(count, sizeof(T)))), count_(count) {
    if (values_ == nullptr) throw std::bad_alloc();
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : values_(std::move(other.values_)), count_(std::exchange(other.count_, 0)) {}
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    values_ = std::move(other.values_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  ~ZeroedArray() = default;

  bool empty() const noexcept { return count_ == 0; }
  std::size_t size() const noexcept { return count_; }
  T* data() const noexcept { return values_.get(); }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + count_; }
  T& operator[](std::size_t i) const noexcept { return data()[i]; }

 private:
  struct Free {
    void operator()(T* values) const noexcept { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
  std::size_t count_ = 0;
};

}  // namespace weir::ocr
