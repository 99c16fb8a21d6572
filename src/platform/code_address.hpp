// SPDX-License-Identifier: Apache-2.0

// Addresses of functions, as other processes of the same program understand them: where in which of its files they are.
// Any thread; looks through the files that are loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::platform {

struct CodeAddress {
  std::uint64_t file = 0;    // of the name of the file, without its folder; 0: the program itself
  std::uint64_t offset = 0;  // from where it is loaded
};

// The address must lie in a file that is loaded: aborts otherwise.
CodeAddress code_address_of(const void* code);
// None: it lies in no such file.
std::optional<CodeAddress> find_code_address(const void* code);
// Null when this process has no such file loaded.
const void* code_at(const CodeAddress& address);

// A file that is loaded, as it was built: what lies where in it.
struct BuiltFile {
  std::string name;   // without its folder; that of the program, too
  std::string build;  // the linker's build id; of a file without one a checksum of its code
};
// None: no such file is loaded. `file`: as in a CodeAddress.
std::optional<BuiltFile> built_file(std::uint64_t file);

}  // namespace weir::platform
