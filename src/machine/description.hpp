// SPDX-License-Identifier: Apache-2.0

// Checking hwloc synthetic strings, so that an error is told with its column; hwloc itself only says "invalid". And its
// XML files, some of which it does not survive.
//
//   string   = { level | memory } , separated by spaces; at least one level, the last one PUs
//   level    = [ type ":" ] count [ "(" attributes ")" ]          core:2    l2:8(size=1MB)    numa:2(memory=4GB)
//   memory   = "[" "numa" "(" attributes ")" "]"                  attached to the level before it, or to the machine;
//                                                                 memory= is required
//   attributes = key "=" value, separated by spaces; keys memory, size, memorysidecachesize, indexes
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::machine {

// Larger descriptions are refused: they are mistakes, and hwloc would fill memory with them.
inline constexpr unsigned long kMaxDescribedCpus = 65536;

// Whether hwloc reads the machine in that XML file. Tried in a child process: there are files that make hwloc crash.
// not_found or bad_input, naming the file. hwloc_mutex is not held.
base::Status try_file(const std::string& path);

// bad_input: "machine description, column 8: ..." names the first error; columns count from 1.
base::Status check_synthetic(std::string_view text);

}  // namespace weir::machine
