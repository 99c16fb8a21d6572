// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/static_data.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/crc32c.hpp"

namespace weir::ocr {

namespace {

// Of the program's own source: what the compiler, the C library and the start files have there begins with an
// underscore, what was copied from a shared library has a version, and Weir, which may be linked in, and the libraries
// in its headers know what they have themselves.
bool is_programs(std::string_view name) {
  constexpr std::array<std::string_view, 4> kMangled{"_ZZ", "_ZN", "_ZL", "_ZW"};
  constexpr std::array<std::string_view, 4> kStandard{"_ZNSt", "_ZNKSt", "_ZZNSt", "_ZZNKSt"};
  const auto begins = [&](std::string_view part) { return name.starts_with(part); };
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("@") || has("4weir") || has("3fmt") || begins("completed.")) return false;
  if (std::any_of(kStandard.begin(), kStandard.end(), begins)) return false;
  return !begins("_") || std::any_of(kMangled.begin(), kMangled.end(), begins);
}

std::uint32_t sum_of(const platform::Variable& variable) {
  return platform::crc32c({reinterpret_cast<const char*>(variable.start), variable.bytes});
}

}  // namespace

StaticData::StaticData() : variables_(platform::program_variables()) {
  if (is_unknown()) return;
  std::erase_if(*variables_, [](const platform::Variable& each) { return !is_programs(each.name); });
  std::transform(variables_->begin(), variables_->end(), std::back_inserter(sums_), sum_of);
}

std::vector<std::string> StaticData::changed() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sums_.size(); ++i)
    if (const platform::Variable& each = (*variables_)[i]; sum_of(each) != sums_[i])
      names.push_back(platform::source_name(each.name.c_str()));
  return names;
}

}  // namespace weir::ocr
