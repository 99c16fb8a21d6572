// SPDX-License-Identifier: Apache-2.0

// Hash: of keys that are a few numbers, for the checker's tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::check {

// Of numbers and addresses.
template <class... Words>
std::size_t hash_of(Words... words) noexcept {
  constexpr std::size_t kGolden = 0x9e3779b97f4a7c15u;
  std::size_t h = 0;
  const auto add = [&](auto word) {
    if constexpr (std::is_pointer_v<decltype(word)>)
      h = (h ^ reinterpret_cast<std::uintptr_t>(word)) * kGolden;
    else
      h = (h ^ static_cast<std::size_t>(word)) * kGolden;
  };
  (add(words), ...);
  return h ^ h >> 31;
}

// For keys that say it themselves.
struct Hash {
  template <class Key>
  std::size_t operator()(const Key& key) const noexcept {
    return key.hash();
  }
};

}  // namespace weir::check
