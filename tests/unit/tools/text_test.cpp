// SPDX-License-Identifier: Apache-2.0

#include "text.hpp"

#include <gtest/gtest.h>

namespace weir::tool {
namespace {

using Lines = std::vector<std::string>;

TEST(Wrap, FillsLinesUpToTheWidth) { EXPECT_EQ(wrap("a bc def ghij", 6), (Lines{"a bc", "def", "ghij"})); }

TEST(Wrap, GivesALongWordALineOfItsOwn) { EXPECT_EQ(wrap("to 1234567890 go", 5), (Lines{"to", "1234567890", "go"})); }

TEST(Wrap, OfNothingIsNothing) { EXPECT_EQ(wrap("  ", 10), Lines{}); }

TEST(Fold, BreaksLongLinesAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(fold("ab cd ef gh\nshort\n", 6), "ab cd\n  ef\n  gh\nshort\n");
  EXPECT_EQ(fold("  name     value\n", 10), "  name\n    value\n");
}

TEST(Fold, LeavesWordsAndLinesThatFitAlone) {
  EXPECT_EQ(fold("part of a line", 20), "part of a line");
  EXPECT_EQ(fold("1234567890 a\n", 5), "1234567890 a\n");
  EXPECT_EQ(fold("a b c d e f\n\n", 0), "a b c d e f\n\n");
}

TEST(Shortened, KeepsTheBeginningAndMoreOfTheEnd) {
  EXPECT_EQ(shortened("EDT weir::ocr::make_large", 18), "EDT ..::make_large");
  EXPECT_EQ(shortened("EDT weir::ocr::make_large", 24), "EDT w..::ocr::make_large");
}

TEST(Shortened, LeavesANameThatFitsAlone) {
  EXPECT_EQ(shortened("sweep", 5), "sweep");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Shortened, OfNoMoreThanTheDotsIsTheEnd) {
  EXPECT_EQ(shortened("sweep", 3), "..p");
  EXPECT_EQ(shortened("sweep", 2), "ep");
  EXPECT_EQ(shortened("sweep", 0), "");
}

TEST(ShellWord, IsBetweenQuotesWhereAShellWouldTakeItForMore) {
  EXPECT_EQ(shell_word("--tiers=memory=1GiB,emulated=8GiB@0.25"), "--tiers=memory=1GiB,emulated=8GiB@0.25");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME;"), "'$HOME;'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Paragraphs, EndAtEmptyLines) { EXPECT_EQ(paragraphs("a\nb\n\nc"), (Lines{"a b", "c"})); }

TEST(Paragraphs, KeepIndentedLinesAsTheyAre) {
  EXPECT_EQ(paragraphs("a\n  x  y\n  z\nb"), (Lines{"a", "  x  y\n  z", "b"}));
}

}  // namespace
}  // namespace weir::tool
