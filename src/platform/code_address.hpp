// SPDX-License-Identifier: Apache-2.0

// Addresses of functions, as other processes of the same program understand them: where in which of its files they are.
// Any thread; looks through the files that are loaded.
#pragma once

#include <cstdint>

namespace weir::platform {

struct CodeAddress {
  std::uint64_t file = 0;    // of the name of the file, without its folder; 0: the program itself
  std::uint64_t offset = 0;  // from where it is loaded
};

// The address must lie in a file that is loaded: aborts otherwise.
CodeAddress code_address_of(const void* code);
// Null when this process has no such file loaded.
const void* code_at(const CodeAddress& address);

}  // namespace weir::platform
