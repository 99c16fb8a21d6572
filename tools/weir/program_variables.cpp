// SPDX-License-Identifier: Apache-2.0

#include "program_variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "file_names.hpp"
#include "platform/companion.hpp"
#include "runtime/options.hpp"

namespace weir::tool {

namespace {

constexpr const char* kLibexec = "WEIR_LIBEXEC";
constexpr const char* kFiles[] = {"checkpoint", "restart", "island_segment"};

bool names_a_file(const std::string& option) {
  return std::find(std::begin(kFiles), std::end(kFiles), option) != std::end(kFiles);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> program_variables(const Global& global) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const char* const option : kFiles) {
    const std::string variable = runtime::variable(option);
    if (const char* const value = std::getenv(variable.c_str()); value != nullptr && *value != '\0')
      result.emplace_back(variable, absolute_name(value));
  }
  for (const auto& [name, value] : global.overrides) {
    if (name == "trace") continue;
    const std::string variable = runtime::variable(name);
    std::erase_if(result, [&](const auto& other) { return other.first == variable; });
    result.emplace_back(variable, names_a_file(name) ? absolute_name(value) : value);
  }
  if (std::string folder = platform::companion_folder(); !folder.empty() && std::getenv(kLibexec) == nullptr)
    result.emplace_back(kLibexec, std::move(folder));
  return result;
}

}  // namespace weir::tool
