// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/variables.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace weir::checkpoint {
namespace {

using ::testing::HasSubstr;

TEST(Variables, AtEachPointTheyAreWhatTheyWereThere) {
  Variables first;
  int x = 0;
  double y = 0;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  ASSERT_TRUE(first.keep("y", &y, sizeof y));
  std::vector<std::pair<int, double>> seen;
  for (std::uint64_t point = 1; point <= 20; ++point) {
    x = 0;  // the program sets it, and a task adds
    x += point % 3 == 0 ? 7 : 5;
    if (point % 4 == 0) y = static_cast<double>(point) / 3;
    first.note_values(point);
    seen.emplace_back(x, y);
  }
  Variables second;
  int x2 = 0;
  double y2 = 0;
  ASSERT_TRUE(second.decode(first.encode()));
  ASSERT_TRUE(second.keep("y", &y2, sizeof y2));  // in another order
  ASSERT_TRUE(second.keep("x", &x2, sizeof x2));
  for (std::uint64_t point = 1; point <= 20; ++point) {
    x2 = 0;
    ASSERT_TRUE(second.restore_values(point));
    EXPECT_EQ(std::pair(x2, y2), seen[point - 1]) << "at " << point;
  }
  EXPECT_EQ(second.checksum() == 0, false);
}

TEST(Variables, OnesThatAreMissingOrOfAnotherSizeAreNamed) {
  Variables first;
  int x = 3;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  first.note_values(1);
  Variables missing;
  ASSERT_TRUE(missing.decode(first.encode()));
  EXPECT_THAT(missing.restore_values(1).message, HasSubstr("variable \"x\" at wait 1, and this run does not keep it"));
  Variables longer;
  ASSERT_TRUE(longer.decode(first.encode()));
  long wide = 0;
  ASSERT_TRUE(longer.keep("x", &wide, sizeof wide));
  EXPECT_THAT(longer.restore_values(1).message, HasSubstr("4 bytes of variable \"x\", and this run keeps 8"));
}

TEST(Variables, AMemoryIsCoveredWhileItIsKept) {
  Variables variables;
  double values[4] = {};
  const auto number = variables.keep("values", values, sizeof values);
  ASSERT_TRUE(number);
  EXPECT_TRUE(variables.covers(values + 1, 2 * sizeof(double)));
  EXPECT_FALSE(variables.covers(values + 3, 2 * sizeof(double)));
  variables.forget(*number);
  EXPECT_FALSE(variables.covers(values, sizeof(double)));
}

TEST(Variables, OneThatBeginsWhereAnotherDoesEndsAlone) {
  Variables variables;
  double values[4] = {};
  const auto all = variables.keep("all", values, sizeof values),
             first = variables.keep("first", values, sizeof *values);
  ASSERT_TRUE(all && first);
  variables.forget(*first);
  EXPECT_TRUE(variables.covers(values, sizeof values));
  EXPECT_TRUE(variables.keep("first", values + 1, sizeof *values)) << "the name is free";
}

struct Padded {
  char phase;
  double error;
};
struct alignas(64) Line {
  int number;
};

// Of a variable whose padding is whatever lay there.
template <class T>
struct Kept {
  Kept(unsigned char lay_there, const T& value) {
    std::memset(memory, lay_there, sizeof memory);
    for (T& each : values()) assign(each, value);
    EXPECT_TRUE(variables.keep("values", memory, sizeof memory, detail::padding_of<T>()));
  }
  static void assign(Padded& to, const Padded& from) {
    to.phase = from.phase;
    to.error = from.error;
  }
  static void assign(Line& to, const Line& from) { to.number = from.number; }
  static void assign(long double& to, long double from) { std::memcpy(&to, &from, 10); }
  std::span<T, 3> values() { return std::span<T, 3>(reinterpret_cast<T*>(memory), 3); }

  alignas(T) unsigned char memory[3 * sizeof(T)];
  Variables variables;
};

template <class T>
void expect_padding_is_no_value(const T& value, const T& other) {
  Kept<T> one(0x00, value), same(0xff, value), another(0x00, other);
  EXPECT_EQ(one.variables.checksum(), same.variables.checksum());
  EXPECT_NE(one.variables.checksum(), another.variables.checksum());
  one.variables.note_values(1);
  const std::string log = one.variables.encode();
  unsigned char before[sizeof one.memory];
  std::memcpy(before, one.memory, sizeof before);
  std::memcpy(one.memory, same.memory, sizeof before);
  one.variables.note_values(2);
  EXPECT_EQ(one.variables.encode(), log) << "nothing has changed";
  EXPECT_EQ(std::memcmp(one.memory, same.memory, sizeof before), 0) << "the program's memory is its own";
  Kept<T>::assign(one.values()[2], other);
  one.variables.note_values(3);
  EXPECT_NE(one.variables.encode(), log);
}

TEST(Variables, PaddingIsNoPartOfAValue) {
  if constexpr (!detail::kClearsPadding) GTEST_SKIP() << "the compiler has no __builtin_clear_padding";
  expect_padding_is_no_value(Padded{'a', 1.5}, Padded{'a', 2.5});
  expect_padding_is_no_value(Padded{'a', 1.5}, Padded{'b', 1.5});
  expect_padding_is_no_value(Line{3}, Line{4});
  if constexpr (sizeof(long double) == 16 && std::numeric_limits<long double>::digits == 64)
    expect_padding_is_no_value(1.5L, 2.5L);
}

TEST(Variables, ALargeLogIsSaidOnceWithWhatIsInIt) {
  Variables variables;
  std::vector<char> large(1 << 20), small(1 << 10);
  large.resize(large.size() - small.size());
  ASSERT_TRUE(variables.keep("small", small.data(), small.size()));
  ASSERT_TRUE(variables.keep("large", large.data(), large.size()));
  std::string said;
  std::uint64_t point = 0;
  for (; said.empty() && point < 300; ++point) {
    ++large[point];
    ++small[point % small.size()];
    variables.note_values(point);
    said = variables.large_log(3 << 20);
  }
  EXPECT_EQ(point, 3U) << "with the heads of the log";
  EXPECT_THAT(said, HasSubstr("of variables that are kept has 3 MiB"));
  EXPECT_THAT(said, HasSubstr("are values of \"large\""));
  variables.note_values(point + 1);
  EXPECT_EQ(variables.large_log(3 << 20), "");
}

TEST(Variables, ALogThatIsCutIsNone) {
  Variables first;
  int x = 3;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  first.note_values(1);
  const std::string whole = first.encode();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(Variables().decode(std::string_view(whole).substr(0, bytes))) << bytes;
}

}  // namespace
}  // namespace weir::checkpoint
