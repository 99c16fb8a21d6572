// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/own_variables.hpp"

// Of a section whose name is a word of C the linker tells where it is.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::weak, gnu::visibility("hidden")]] extern const std::byte __start_weir_data[], __stop_weir_data[];
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace weir::shmem {

AddressRange own_variables() noexcept {
  return {reinterpret_cast<std::uintptr_t>(__start_weir_data), reinterpret_cast<std::uintptr_t>(__stop_weir_data)};
}

}  // namespace weir::shmem
