// SPDX-License-Identifier: Apache-2.0

// A list as text: "1, 2, 3".
//
// Pure; any thread. fmt::join() does the same and more, for a second of compile time in each object that uses it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace weir::base {

// The items, which are texts or whole numbers, in their order, with `separator` between each two.
template <class Items>
std::string joined(const Items& items, std::string_view separator) {
  std::string text;
  std::string_view before;
  for (const auto& item : items) {
    text += before;
    if constexpr (std::is_convertible_v<decltype(item), std::string_view>) {
      text += std::string_view(item);
    } else {
      text += std::to_string(item);
    }
    before = separator;
  }
  return text;
}

}  // namespace weir::base
