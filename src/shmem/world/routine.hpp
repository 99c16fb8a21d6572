// SPDX-License-Identifier: Apache-2.0

// Which SHMEM routine of the program's call this is the inside of, by the names of the calling functions; for messages.
// A function of the program is none, whatever its name is.
#pragma once

#include <string>
#include <string_view>

namespace weir::shmem {

// "shmem_long_put"; "" in none. Reads files: slow. Any thread.
std::string routine_of_caller();
// Whether a function of that name may be one of the API.
bool is_routine_name(std::string_view name) noexcept;

}  // namespace weir::shmem
