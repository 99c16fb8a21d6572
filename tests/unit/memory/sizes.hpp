// SPDX-License-Identifier: Apache-2.0

// Bytes in a KiB and so on.
#pragma once

#include <cstdint>

namespace weir::memory {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kTiB = 1024 * kGiB;

}  // namespace weir::memory
