// SPDX-License-Identifier: Apache-2.0

// Pack: one value of each of some types, by place. As std::tuple, which takes compilers several times as long: it is
// copied, compared and converted, too.
#pragma once

#include <cstddef>
#include <utility>

namespace weir::detail {

// The place makes two of the same type different.
template <std::size_t I, class T>
struct PackElement {
  T value;
};

template <class Places, class... T>
struct PackOf;
template <std::size_t... I, class... T>
struct PackOf<std::index_sequence<I...>, T...> : PackElement<I, T>... {};

// An aggregate: Pack<A, B>{{a}, {b}}. A reference as T is one to what the pack was made of.
template <class... T>
using Pack = PackOf<std::index_sequence_for<T...>, T...>;

// The value at place I; what a reference refers to.
template <std::size_t I, class T>
[[gnu::always_inline]] constexpr T& at(PackElement<I, T>& element) noexcept {
  return element.value;
}
template <std::size_t I, class T>
[[gnu::always_inline]] constexpr const T& at(const PackElement<I, T>& element) noexcept {
  return element.value;
}
// The value itself, to be moved from; of a reference what it says, an lvalue or an rvalue.
template <std::size_t I, class T>
[[gnu::always_inline]] constexpr T&& take(PackElement<I, T>& element) noexcept {
  return static_cast<T&&>(element.value);
}

}  // namespace weir::detail
