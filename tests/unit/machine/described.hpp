// SPDX-License-Identifier: Apache-2.0

// Machines of the tests, from what describes them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "machine/machine.hpp"

namespace weir::machine {

inline Machine described(const std::string& text) {
  auto machine = Machine::from_description(text);
  EXPECT_TRUE(machine) << machine.status().message;
  return std::move(machine).value();
}

}  // namespace weir::machine
