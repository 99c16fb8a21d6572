// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/home.hpp"

#include <bit>

#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {

namespace detail {
constinit Homes homes;
}  // namespace detail

void set_homes(std::uint32_t ranks, std::uint32_t here) {
  Homes& all = detail::homes;
  all = {ranks, here, 32 - static_cast<int>(std::bit_width(ranks - 1))};
  events().confine(all.first(), all.end());
  blocks().confine(all.first(), all.end());
  templates().confine(all.first(), all.end());
  edt_entries().confine(all.first(), all.end());
}

}  // namespace weir::ocr
