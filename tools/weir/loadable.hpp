// SPDX-License-Identifier: Apache-2.0

// Whether a program loads the libraries that LD_PRELOAD and LD_LIBRARY_PATH name, and how they are named there.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::tool {

// The file of a program, found as a shell does; "" when there is none, or it is no program.
std::string file_of_program(const std::string& name);

// Fails with bad_option, saying why: the program is static, for another processor or another C library, or runs with
// other rights than the user's. Of a script, its interpreter is looked at.
base::Status check_loads_libraries(const std::string& file);

// Fails with bad_option where a library of the program has to be the first one itself: gcc's sanitizers of addresses
// and of threads, clang's of threads.
base::Status check_loads_ours_first(const std::string& file);

// A variable of the environment that names files for the loader, and the option that needs one in it.
struct LoaderList {
  const char* option;      // "--memory"
  const char* variable;    // "LD_PRELOAD"
  const char* separators;  // of names, which nothing quotes
};
// The file by a name that such a list can hold: its own, or that of a link in the folder. unsupported, io_error.
base::Result<std::string> listed_name(const LoaderList& list, const std::string& file, const std::string& folder);

}  // namespace weir::tool
