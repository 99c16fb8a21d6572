// SPDX-License-Identifier: Apache-2.0

#include "platform/symbol_names.hpp"

#include <gtest/gtest.h>

namespace weir::platform {
namespace {

[[gnu::noinline]] int of_this_file(int value) { return value + 1; }
TEST(SymbolNames, AFunctionThatIsNotExportedHasItsName) {
  EXPECT_EQ(function_name(reinterpret_cast<const void*>(&of_this_file)), "weir::platform::of_this_file");
}

TEST(SymbolNames, NamesAreAsInTheSource) {
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_13addEii"), "add");
  EXPECT_EQ(source_name("_ZL3addIiEvT_"), "void add");
  EXPECT_EQ(source_name("plain"), "plain");
}

TEST(SymbolNames, WhatIsNoBeginningOfAFunctionHasNoName) {
  EXPECT_EQ(function_name(nullptr), "");
  EXPECT_EQ(function_name(reinterpret_cast<const char*>(&of_this_file) + 1), "");
}

}  // namespace
}  // namespace weir::platform
