// SPDX-License-Identifier: Apache-2.0

#include "base/one_line.hpp"

#include <gtest/gtest.h>

namespace weir::base {
namespace {

TEST(OneLine, LeavesTextAsItIs) { EXPECT_EQ(one_line("a file.json \xc3\xa9"), "a file.json \xc3\xa9"); }

TEST(OneLine, WritesControlCharactersAsCDoes) {
  EXPECT_EQ(one_line("two\nlines\x1b[2J\t\x7f"), "two\\nlines\\x1b[2J\\x09\\x7f");
}

TEST(OneLine, WritesControlCharactersOfUnicodeSoToo) {
  EXPECT_EQ(one_line("\xc2\x9b"
                     "2J \xc2\xa0 \xc2"),
            "\\xc2\\x9b2J \xc2\xa0 \xc2");
}

}  // namespace
}  // namespace weir::base
