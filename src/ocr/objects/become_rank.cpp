// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/become_rank.hpp"

#include <algorithm>

#include "base/forever.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/guid_map.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {

namespace {

// As it was taken: of the first stretch the tables say what is left.
Share& taken() noexcept {
  static base::Forever<Share> one;
  return one.value;
}

}  // namespace

void become_rank(std::uint32_t rank, std::uint32_t of_ranks) {
  detail::homes = {of_ranks, rank};
  const Division division = divide(of_ranks);
  take_parts({division.homes, division.stretches[rank]});
}

void take_parts(const Share& share) {
  for (std::size_t i = 0; i < share.homes.size(); ++i) {
    const std::uint32_t end = i + 1 < share.homes.size() ? share.homes[i + 1].first : kParts;
    std::fill(detail::home_of_part.begin() + share.homes[i].first, detail::home_of_part.begin() + end,
              static_cast<std::uint16_t>(share.homes[i].home));
  }
  const Stretch& first = share.stretches.front();
  events().give_from(first.next_of(TableOf::events), first.end);
  blocks().give_from(first.next_of(TableOf::blocks), first.end);
  templates().give_from(first.next_of(TableOf::templates), first.end);
  edt_entries().give_from(first.next_of(TableOf::edts), first.end);
  give_maps_from(first.next_of(TableOf::maps), first.end);
  taken() = share;
}

Share parts_now() {
  Share now = taken();
  if (now.homes.empty()) now = {{HomeRun{0, homes().here}}, {Stretch{}}};  // on one rank, from the beginning
  Stretch& first = now.stretches.front();
  first.next_of(TableOf::events) = events().next();
  first.next_of(TableOf::blocks) = blocks().next();
  first.next_of(TableOf::templates) = templates().next();
  first.next_of(TableOf::edts) = edt_entries().next();
  first.next_of(TableOf::maps) = next_map();
  first.end = events().end();
  return now;
}

}  // namespace weir::ocr
