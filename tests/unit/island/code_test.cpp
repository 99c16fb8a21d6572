// SPDX-License-Identifier: Apache-2.0

#include "island/code.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>

namespace weir::island {
namespace {

void one(void*, const Access*) {}
void two(void*, const Access*) { std::abort(); }

// Of another object: its own arguments do not matter, as nobody calls it.
const auto in_libc = reinterpret_cast<detail::Invoke>(reinterpret_cast<std::uintptr_t>(&std::strtod));

TEST(CodeNames, FunctionsAreFoundByTheirNames) {
  CodeNames names, others;
  for (const detail::Invoke function : {&one, &two, in_libc, &one}) {
    const FunctionName name = names.name_of(function);
    EXPECT_NE(name.object, 0u);
    EXPECT_EQ(others.find(name), function);
  }
  EXPECT_EQ(names.name_of(&one).object, names.name_of(&two).object);
  EXPECT_NE(names.name_of(&one).object, names.name_of(in_libc).object);
  EXPECT_NE(names.name_of(&one).offset, names.name_of(&two).offset);
}

TEST(CodeNames, WhatIsNotLoadedIsNotFound) {
  CodeNames names;
  FunctionName name = names.name_of(&one);
  ++name.object;
  EXPECT_EQ(names.find(name), nullptr);
  --name.object;
  name.offset += std::uintptr_t{1} << 40;
  EXPECT_EQ(names.find(name), nullptr);
}

TEST(CodeNames, WhatIsNoCodeOfAnObjectIsRefused) {
  CodeNames names;
  std::array<char, 64> stack{};
  EXPECT_THROW(names.name_of(reinterpret_cast<detail::Invoke>(stack.data())), Error);
}

TEST(CodeNames, MessagesHaveTheStartOfTheBuildId) { EXPECT_EQ(object_text(0x8877665544332211), "1122334455667788"); }

}  // namespace
}  // namespace weir::island
