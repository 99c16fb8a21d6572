// SPDX-License-Identifier: Apache-2.0

// What debug information says of an address of a compilation unit: its functions, inlined ones too, and their lines.
// By elfutils' libdw; one thread.
//
// Not dwarf_getscopes(): it does not look into namespaces, where clang has its functions.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <vector>

namespace weir::tool::check {

struct Line {
  std::string file;  // "": none is known
  int number = 0;
};

// The function whose code is there, and within it those that are inlined, outermost first. Empty: none is known.
std::vector<Dwarf_Die> functions_at(Dwarf_Die& unit, Dwarf_Addr at);

// Of functions_at(), where the one at `depth` comes from at this address: its own line, or that of the call of the one
// inlined in it. Compilers put some instructions down to no line at all; then it is that of the function's nearest
// other instruction.
Line line_in(Dwarf_Die& unit, std::vector<Dwarf_Die>& functions, std::size_t depth, Dwarf_Addr at);

}  // namespace weir::tool::check
