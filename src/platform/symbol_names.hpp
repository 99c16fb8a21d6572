// SPDX-License-Identifier: Apache-2.0

// Names of functions and variables by their addresses, those of static ones too, as the symbol tables of the program's
// files have them; the dynamic linker knows only those that are exported. Reads files: for messages, which are rare.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

namespace weir::platform {

// Of the function that begins there, as the source has it, without namespaces that have no name, arguments of templates
// and parameters; "" when it is not known: of a program that was stripped.
std::string function_name(const void* start);
// Whether the linker has the function that begins there by that name, too: of one with several names function_name()
// tells any.
bool has_name(const void* start, const char* symbol);
// "counter", or "table+0x40" within it: the variable with static storage that is there; "" when none is known.
std::string variable_name(const void* address);
// Those that the program itself, not its libraries, has and may write. None: the program was stripped, or its file
// cannot be read.
struct Variable {
  std::string name;  // as the linker has it
  const std::byte* start;
  std::size_t bytes;
};
std::optional<std::vector<Variable>> program_variables();
// What the linker calls it, as C++ has it, with parameters; a name of C as it is: "f", which is no float.
std::string demangled(const char* symbol);
// What the program calls the type: "int".
std::string type_name(const std::type_info& type);
// As function_name(), of a name as the linker has it.
std::string source_name(const char* symbol);

}  // namespace weir::platform
