// SPDX-License-Identifier: Apache-2.0

// How far apart two fields must be so that two cores writing them do not slow each other down.
//
// A constant of our own: std::hardware_destructive_interference_size differs between compilers and flags, which
// would make layouts differ between the library and its users.
#pragma once

#include <cstddef>

namespace weir::base {

inline constexpr std::size_t kDestructiveSize = 64;

}  // namespace weir::base
