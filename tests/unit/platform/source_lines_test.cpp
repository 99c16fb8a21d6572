// SPDX-License-Identifier: Apache-2.0

// Compiled with debug information whatever the build type (CMakeLists.txt).
#include "platform/source_lines.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weir::platform {
namespace {

// Not a tail call: the call that is looked for is to be there.
[[gnu::noinline]] const void* caller() noexcept { return __builtin_return_address(0); }

[[gnu::always_inline]] inline const void* inlined() { return caller(); }  // kInlinedLine
constexpr int kInlinedLine = __LINE__ - 1;

TEST(SourceLines, NameTheLineOfACall) {
  const void* const address = caller();
  const int line = __LINE__ - 1;
  const auto found = find_source(std::array{address});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].file.ends_with("source_lines_test.cpp")) << found[0].text();
  EXPECT_EQ(found[0].line, line);
  EXPECT_NE(found[0].function.find("NameTheLineOfACall"), std::string::npos) << found[0].function;
}

TEST(SourceLines, NameTheInnermostLineWhereFunctionsWereInlined) {
  const auto found = find_source(std::array{inlined(), inlined()});
  ASSERT_EQ(found.size(), 2u);
  for (const SourceLine& line : found) EXPECT_EQ(line.line, kInlinedLine) << line.text();
}

[[gnu::noinline]] const void* of_two_numbers(int (*)(int), int) {
  const void* const address = caller();
  asm volatile("");  // so that the call before it is no tail call
  return address;
}

TEST(SourceLines, NameFunctionsWithoutUnnamedNamespacesAndParameters) {
  const auto found = find_source(std::array{of_two_numbers(nullptr, 1)});
  ASSERT_EQ(found.size(), 1u);
  const std::string& function = found[0].function;
  EXPECT_TRUE(function == "of_two_numbers" || function == "weir::platform::of_two_numbers") << function;
}

TEST(SourceLines, SayWhatIsKnownOfCodeWithoutDebugInformation) {
  const auto* const code = reinterpret_cast<const char*>(&std::abort);
  const auto found = find_source(std::array<const void*, 1>{code + 4});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].function.find("abort"), std::string::npos) << found[0].text();
  EXPECT_FALSE(found[0].module.empty());
}

TEST(SourceLines, SayHowToGetALineThatIsNotKnown) {
  SourceLine line;
  line.function = "main";
  line.file = "/home/me/life.cpp";
  EXPECT_EQ(line.text(), "main (life.cpp; compile with -g for the line)");
  line.function.clear();
  EXPECT_EQ(line.text(), "life.cpp (compile with -g for the line)");
  line.line = 7;
  EXPECT_EQ(line.text(), "/home/me/life.cpp:7");
}

TEST(SourceLines, SayThatSomethingIsNoCode) {
  int variable = 0;
  const auto found = find_source(std::array<const void*, 2>{nullptr, &variable});
  ASSERT_EQ(found.size(), 2u);
  for (const SourceLine& line : found) EXPECT_EQ(line.text(), "an unknown place");
}

}  // namespace
}  // namespace weir::platform
