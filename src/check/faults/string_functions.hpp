// SPDX-License-Identifier: Apache-2.0

// The C library's functions on strings, which read whole vectors, of which they use the part that was meant.
#pragma once

#include <cstdint>

namespace weir::check {

// Where they are; once, before the rest.
void find_string_functions();
// The instruction is of one; those that copy, and use all that they read, are not meant.
bool is_of_string_function(std::uintptr_t instruction) noexcept;

}  // namespace weir::check
