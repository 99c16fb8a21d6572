// SPDX-License-Identifier: Apache-2.0

// Sizes as SHMEM_SYMMETRIC_SIZE has them: a number, decimals allowed, and a suffix K, M, G or T for 1024 bytes and
// more.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::shmem {

// Nothing for what is no such size, for 0 and for what is 2^63 or more. Small letters too, and "KB", "KiB". Pure.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace weir::shmem
