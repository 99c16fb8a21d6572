// SPDX-License-Identifier: Apache-2.0

#include "platform/symbol_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
  for (const char* name : {"f", "i", "v", "St"}) EXPECT_EQ(source_name(name), name) << "no type of C++";
}

int written = 5;
const int constant = 6;
TEST(SymbolNames, OfVariablesThereAreThoseThatMayBeWritten) {
  const auto all = program_variables();
  ASSERT_TRUE(all.has_value());
  const auto is_at = [](const void* address) {
    return [address](const Variable& each) { return static_cast<const void*>(each.start) == address; };
  };
  const auto found = std::find_if(all->begin(), all->end(), is_at(&written));
  ASSERT_NE(found, all->end());
  EXPECT_EQ(found->bytes, sizeof written);
  EXPECT_EQ(source_name(found->name.c_str()), "weir::platform::written");
  EXPECT_TRUE(std::none_of(all->begin(), all->end(), is_at(&constant)));
}

TEST(SymbolNames, WhatIsNoBeginningOfAFunctionHasNoName) {
  EXPECT_EQ(function_name(nullptr), "");
  EXPECT_EQ(function_name(reinterpret_cast<const char*>(&of_this_file) + 1), "");
}

}  // namespace
}  // namespace weir::platform
