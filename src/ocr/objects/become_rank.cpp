// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/become_rank.hpp"

#include <bit>

#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {

void become_rank(std::uint32_t rank, std::uint32_t of_ranks) {
  Homes& all = detail::homes;
  all = {of_ranks, rank, 32 - static_cast<int>(std::bit_width(of_ranks - 1))};
  events().confine(all.first(), all.end());
  blocks().confine(all.first(), all.end());
  templates().confine(all.first(), all.end());
  edt_entries().confine(all.first(), all.end());
}

}  // namespace weir::ocr
