// SPDX-License-Identifier: Apache-2.0

// A machine with two domains, each with 64 MiB of ordinary memory and 8 MiB of HBM beside it, described.
#pragma once

#include <gtest/gtest.h>

#include "machine/machine.hpp"
#include "memory/memory_state.hpp"
#include "platform/affinity.hpp"

namespace weir::alloc {

inline constexpr std::size_t kMiB = std::size_t{1} << 20;

inline machine::Machine described(const char* text) {
  auto machine = machine::Machine::from_description(text);
  EXPECT_TRUE(machine) << machine.status().message;
  return std::move(machine).value();
}

inline machine::Machine small_machine() {
  return described("pack:1 group:2 [numa(memory=64MiB)] [numa(memory=8MiB)] l2:1 core:1 pu:1");
}
inline machine::Machine machine_without_hbm() { return described("numa:1(memory=64MiB) core:1 pu:1"); }

// Which node is the nearest stays the same.
class OnOneCpu {
 public:
  OnOneCpu() {
    const int here[] = {platform::current_cpu()};
    const base::Status bound = binding_.bind(here);
    EXPECT_TRUE(bound) << bound.message;
  }

 private:
  platform::ScopedBinding binding_;
};

inline memory::MemoryState plenty() {
  const auto limit = [] { return platform::MemoryLimit{std::uint64_t{1} << 40, "the machine"}; };
  const auto unknown = [](int) { return Bytes{}; };
  return {.mappable = limit, .physical = limit, .free_now = unknown, .free_or_cached = unknown};
}

}  // namespace weir::alloc
