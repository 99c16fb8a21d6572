// SPDX-License-Identifier: Apache-2.0

// Where the library's own variables lie when it is linked statically: in a section that has nothing else in it
// (cmake/own_variables.cmake), in the writable segment that the program's variables lie in too, before those that are
// zero at first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::shmem {

struct AddressRange {
  std::uintptr_t begin = 0, end = 0;  // equal: there is none

  bool meets(const void* data, std::size_t bytes) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    return first < end && begin < first + bytes;
  }
};

// Empty in a shared library, and where the linker, or the build, has not made the section.
AddressRange own_variables() noexcept;

}  // namespace weir::shmem
