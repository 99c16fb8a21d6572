// SPDX-License-Identifier: Apache-2.0

// What in(x), out(x) and so on can see of the type of x: whether the memory that x stands for lies within x itself.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace weir::detail {

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t kExtent>
inline constexpr bool kIsStdArray<std::array<T, kExtent>> = true;

// Has elements of some kind somewhere. An array, too, has begin() and end(), but its elements are its own bytes.
template <class T>
concept Range = std::is_class_v<T> && !kIsStdArray<std::remove_cv_t<T>> && requires(T & range) {
  std::begin(range);
  std::end(range);
};

// Its elements lie elsewhere, in one piece: std::vector, std::string, std::span and their like.
template <class T>
concept ContiguousRange = Range<T> && requires(T& range) {
  { std::begin(range) } -> std::contiguous_iterator;
  { std::data(range) } -> std::convertible_to<const volatile void*>;
  { std::size(range) } -> std::convertible_to<std::size_t>;
};

// std::unique_ptr, std::shared_ptr, std::weak_ptr and their like.
template <class T>
concept SmartPointer = std::is_class_v<T> && requires {
  typename T::element_type;
} &&(
    requires(T& pointer) { pointer.get(); } || requires(T & pointer) { pointer.lock(); });

// std::optional and its like.
template <class T>
concept Optional = std::is_class_v<T> && requires(T& optional) {
  typename T::value_type;
  optional.has_value();
  *optional;
};

template <class T>
concept Tuple = std::is_class_v<T> && requires {
  std::tuple_size<T>::value;
};

template <class T>
constexpr bool holds_memory_elsewhere() noexcept;
template <class T, std::size_t... I>
constexpr bool tuple_holds_memory_elsewhere(std::index_sequence<I...>) noexcept {
  return (holds_memory_elsewhere<std::tuple_element_t<I, T>>() || ...);
}

// What the bytes of a T are not all of, as far as its type shows that. A struct of the program's does not.
template <class T>
constexpr bool holds_memory_elsewhere() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_array_v<U>) {
    return holds_memory_elsewhere<std::remove_all_extents_t<U>>();
  } else if constexpr (!std::is_class_v<U>) {
    return false;
  } else if constexpr (Range<U> || SmartPointer<U>) {
    return true;
  } else if constexpr (kIsStdArray<U> || Optional<U>) {
    return holds_memory_elsewhere<typename U::value_type>();
  } else if constexpr (Tuple<U>) {
    return tuple_holds_memory_elsewhere<U>(std::make_index_sequence<std::tuple_size_v<U>>{});
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool kHoldsMemoryElsewhere = holds_memory_elsewhere<T>();

template <ContiguousRange C>
using ElementOf = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>;

}  // namespace weir::detail
