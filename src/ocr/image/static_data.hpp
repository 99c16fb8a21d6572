// SPDX-License-Identifier: Apache-2.0

// StaticData: the program's variables with static storage as they were at the start: no checkpoint has them, so a
// program that has written to one since could not go on. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/symbol_names.hpp"

namespace weir::ocr {

class StaticData {
 public:
  // As they are now.
  StaticData();
  // The program was stripped, so what it has is not known.
  bool is_unknown() const noexcept { return !variables_.has_value(); }
  // Names of those that have other values now; each is read as a whole.
  std::vector<std::string> changed() const;

 private:
  std::optional<std::vector<platform::Variable>> variables_;
  std::vector<std::uint32_t> sums_;  // CRC-32C of each
};

}  // namespace weir::ocr
