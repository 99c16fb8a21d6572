// SPDX-License-Identifier: Apache-2.0

// The table of what was announced and is awaited, against a map.
#include "cluster/arrival_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace weir::cluster {
namespace {

using Fields = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

Fields fields_of(const TileVersion& what) { return {what.id.array, what.id.tile, what.version, what.drops}; }

TEST(ArrivalTables, EntriesAreFoundByNameWhereTheyWereMadeAsTheTableGrowsAndShrinks) {
  ArrivalTable table;
  std::map<Fields, Arrival*> there;
  std::mt19937 random(24);
  // Few names, so that they come again; more and more that are there at a time, then fewer.
  for (const std::uint32_t names : {4u, 40u, 6000u, 40u}) {
    for (int step = 0; step < 20'000; ++step) {
      const auto number = static_cast<std::uint32_t>(random() % names);
      const TileVersion what{{number % 3, number / 2}, number % 7, number % 2};
      Arrival** const at = table.find(what);
      const auto found = there.find(fields_of(what));
      ASSERT_EQ(*at, found == there.end() ? nullptr : found->second);
      if (*at != nullptr) {
        EXPECT_TRUE((*at)->is_announced);
        table.remove(at);
        there.erase(found);
      } else {
        Arrival& added = table.add(at, what);
        EXPECT_FALSE(added.is_announced || added.receiver);
        added.is_announced = true;
        there[fields_of(what)] = &added;
      }
    }
    std::set<Arrival*> all, seen;
    for (const auto& [name, each] : there) all.insert(each);
    table.for_each([&](Arrival& each) { EXPECT_TRUE(seen.insert(&each).second); });
    EXPECT_EQ(seen, all);
  }
}

}  // namespace
}  // namespace weir::cluster
