// SPDX-License-Identifier: Apache-2.0

#include "machine/measure.hpp"

#include <gtest/gtest.h>

namespace weir::machine {
namespace {

// Real measuring is for `weir topo --measure`, golden test measured_is_shown_later, and guests.
TEST(Measure, RefusesADescribedMachine) {
  const auto costs = measure(Machine::from_description("core:2 pu:1").value(), [](const std::string&) {});
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.status().code, base::Code::bad_option);
}

}  // namespace
}  // namespace weir::machine
