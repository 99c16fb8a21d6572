// SPDX-License-Identifier: Apache-2.0

// Where the C library's functions on memory and strings are, of those that calls are redirected for.
//
// Written once, by install_library_calls(); read by handlers of faults, under the gate, and by the functions that calls
// go to.
#pragma once

#include "checker/faults/library_functions.hpp"
#include "checker/state.hpp"
#include "platform/redirect.hpp"

namespace weir::checker {

// On pages of its own: it is read whatever is closed.
struct alignas(kPageBytes) LibraryCodes {
  LibraryCode code[kLibraryFunctions] = {};  // null: the program has one of its own
  platform::CodeRange range;                 // of the library
};
extern LibraryCodes library;

inline std::uintptr_t address_of(LibraryCode code) noexcept { return reinterpret_cast<std::uintptr_t>(code); }

// The instruction is of a function on strings whose call was not noted; those that copy, and use all that they read,
// are not meant.
bool may_read_more_than_it_uses(std::uintptr_t instruction) noexcept;

}  // namespace weir::checker
