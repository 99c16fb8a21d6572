// SPDX-License-Identifier: Apache-2.0

#include "platform/address_layout.hpp"

#include <gtest/gtest.h>

#include <set>

#include "platform/process.hpp"

namespace weir::platform {
namespace {

// Where a program that is started so lies in memory.
std::string layout_of_child(bool& is_allowed) {
  Command command{{"/bin/sh", "-c", "while read -r range rest; do echo $range; done </proc/self/maps"}};
  command.prepare = [] { return use_common_addresses(); };
  auto ended = run(command, 60);
  is_allowed = ended && ended->end.status != 126;
  return ended ? ended->out : ended.status().message;
}

TEST(AddressLayout, IsThatOfAllProcessesOfTheProgram) {
  bool is_allowed = false;
  const std::string first = layout_of_child(is_allowed);
  if (!is_allowed) GTEST_SKIP() << "the system allows no other layout: personality()";
  std::set<std::string> layouts{first};
  for (int i = 0; i < 3; ++i) layouts.insert(layout_of_child(is_allowed));
  EXPECT_EQ(layouts.size(), 1U);
  EXPECT_NE(first, "");
}

}  // namespace
}  // namespace weir::platform
