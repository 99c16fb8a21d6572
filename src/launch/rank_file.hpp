// SPDX-License-Identifier: Apache-2.0

// file_of_rank: the names of files that each rank of a job writes: "out/t.weir" of rank 2 is "out/t.2.weir". Pure.
#pragma once

#include <string>

#include "base/ids.hpp"

namespace weir::launch {

std::string file_of_rank(const std::string& file, Rank rank);

}  // namespace weir::launch
