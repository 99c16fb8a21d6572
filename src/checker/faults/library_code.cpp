// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/library_code.hpp"

#include <algorithm>

#include "checker/tell/frames.hpp"

namespace weir::checker {

constinit LibraryCodes library;

bool may_read_more_than_it_uses(std::uintptr_t instruction) noexcept {
  constexpr std::size_t kCopying = 3;  // the first of all functions
  if (!library.range.contains(instruction)) return false;
  state->library_called_otherwise = true;
  const std::uintptr_t function = start_of_function(reinterpret_cast<const void*>(instruction + 1));
  return std::none_of(library.code, library.code + kCopying, [&](LibraryCode code) {
    return start_of_function(reinterpret_cast<const char*>(address_of(code)) + 1) == function;
  });
}

}  // namespace weir::checker
