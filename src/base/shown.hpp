// SPDX-License-Identifier: Apache-2.0

// Shown<T>: a field that one thread writes and others may look at whenever they like, at the price of a plain field.
//
// What others see is some value that it had, none the newer for it: whether what a pointer leads to is still there, and
// complete, is theirs to know (docs/protocols/gates.md for the fields of a task).
#pragma once

#include <atomic>
#include <type_traits>

namespace weir::base {

template <class T>
class Shown {
 public:
  constexpr Shown() noexcept = default;
  constexpr Shown(T value) noexcept : value_(value) {}
  Shown(const Shown& other) noexcept : value_(other.value_) {}
  Shown& operator=(const Shown& other) noexcept { return *this = other.value_; }

  // Whoever the field belongs to, by the rules of what it is in: one thread at a time. What that has written before is
  // seen by who reads the new value by seen().
  Shown& operator=(T value) noexcept {
    std::atomic_ref(value_).store(value, std::memory_order_release);  // SHOWN-1
    return *this;
  }
  Shown& operator|=(T bits) noexcept requires std::is_integral_v<T> { return *this = static_cast<T>(value_ | bits); }
  // The same, and who has learned of the field from it: not while it is written.
  operator T() const noexcept { return value_; }
  T get() const noexcept { return value_; }
  T operator->() const noexcept requires std::is_pointer_v<T> { return value_; }

  // Any thread, at any time.
  T seen() const noexcept {
    return std::atomic_ref(const_cast<T&>(value_)).load(std::memory_order_acquire);  // SHOWN-1
  }

 private:
  alignas(std::atomic_ref<T>::required_alignment) T value_{};
};

}  // namespace weir::base
