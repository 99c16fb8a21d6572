// SPDX-License-Identifier: Apache-2.0

// Machines that the tests of tiers run on, described, and systems with so much memory left.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "machine/machine.hpp"
#include "memory/memory_state.hpp"
#include "sizes.hpp"

namespace weir::memory {

inline machine::Machine described(const std::string& text) {
  auto machine = machine::Machine::from_description(text);
  EXPECT_TRUE(machine) << machine.status().message;
  return std::move(machine).value();
}

inline machine::Machine captured(const std::string& name) { return described(WEIR_MACHINES + name); }

inline machine::Machine knl_snc4_flat() {
  return described("pack:1 group:4 [numa(memory=24GiB)] [numa(memory=4GiB)] l2:8 core:2 pu:4");
}

inline MemoryState system_with(std::uint64_t left, std::string limited_by = "the machine", Bytes node_free = {}) {
  const auto limit = [left, limited_by] { return platform::MemoryLimit{left, limited_by}; };
  const auto node = [node_free](int) { return node_free; };
  return {.mappable = limit, .physical = limit, .free_now = node, .free_or_cached = node};
}

}  // namespace weir::memory
