// SPDX-License-Identifier: Apache-2.0

// Tests that hold for every kind of memory.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "island/flush_memory.hpp"
#include "weir/options.hpp"

namespace weir::island {

class OverKinds : public testing::TestWithParam<IslandMemory> {
 protected:
  void SetUp() override {
    if (const base::Status usable = FlushMemory::usable(); GetParam() == IslandMemory::flush && !usable)
      GTEST_SKIP() << usable.message;
  }
};

inline constexpr std::array kAllKinds{IslandMemory::coherent, IslandMemory::flush, IslandMemory::checked};

inline std::string name_of(const testing::TestParamInfo<IslandMemory>& kind) {
  constexpr std::array kNames{"coherent", "flush", "checked"};
  return kNames.at(static_cast<std::size_t>(kind.param));
}

}  // namespace weir::island
