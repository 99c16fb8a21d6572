// SPDX-License-Identifier: Apache-2.0

// How modes of EDTs of other ranks are kept at a block's home (lend.hpp). Pure.
#pragma once

#include <cstdint>

#include "ocr/ocr.h"

namespace weir::ocr {

// In which mode a block is held while it is lent.
inline std::uint8_t lending_mode(std::uint8_t mode) noexcept {
  return mode == DB_MODE_RW ? std::uint8_t{DB_MODE_EW} : mode;
}
inline bool is_to_be_written(std::uint8_t mode) noexcept { return mode == DB_MODE_RW || mode == DB_MODE_EW; }

}  // namespace weir::ocr
