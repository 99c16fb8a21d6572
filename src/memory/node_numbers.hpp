// SPDX-License-Identifier: Apache-2.0

// node_numbers: the kernel's numbers of memory nodes in the text of an option, as "0,1". Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::memory {

// Each below 1024; none of "". bad_option, which names the option, for anything else.
base::Result<std::vector<int>> node_numbers(std::string_view option, std::string_view text);

}  // namespace weir::memory
