// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/home.hpp"

namespace weir::ocr::detail {

constinit Homes homes;
constinit std::array<std::uint16_t, kParts> home_of_part{};

}  // namespace weir::ocr::detail
