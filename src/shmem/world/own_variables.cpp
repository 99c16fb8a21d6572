// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/own_variables.hpp"

// Of sections whose names are words of C the linker tells where they are.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::weak, gnu::visibility("hidden")]] extern const std::byte __start_weir_data[], __stop_weir_data[];
[[gnu::weak, gnu::visibility("hidden")]] extern const std::byte __start_weir_bss[], __stop_weir_bss[];
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace weir::shmem {

namespace {

AddressRange range_of(const std::byte* begin, const std::byte* end) noexcept {
  return {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
}

}  // namespace

AddressRange own_initialised_variables() noexcept { return range_of(__start_weir_data, __stop_weir_data); }
AddressRange own_zero_variables() noexcept { return range_of(__start_weir_bss, __stop_weir_bss); }

}  // namespace weir::shmem
