// SPDX-License-Identifier: Apache-2.0

#include "island/children.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

namespace weir::island {
namespace {

void function(void*, const Access*) {}

alignas(kLine) std::byte memory[1024];

Access at(std::size_t offset, std::size_t row, std::size_t rows, std::size_t stride, Mode mode) {
  Access access;
  access.region = {memory + offset, row, rows, stride};
  access.mode = mode;
  return access;
}

bool fits(const Access& child, const Access& parent) {
  CodeNames codes;
  Children children;
  const int value = 7;
  try {
    children.add(codes, {&function, &value, sizeof value}, {&child, 1}, nullptr,
                 reinterpret_cast<const void*>(&function), {&parent, 1});
  } catch (const Error&) {
    EXPECT_TRUE(children.bytes().empty());
    return false;
  }
  return true;
}

TEST(Children, LieWithinTheRowsOfTheirParent) {
  const Access tile = at(64, 32, 3, 128, Mode::inout);
  EXPECT_TRUE(fits(tile, tile));
  EXPECT_TRUE(fits(at(64 + 128 + 8, 24, 2, 128, Mode::out), tile));
  EXPECT_TRUE(fits(at(64 + 256, 32, 1, 32, Mode::in), tile));
  EXPECT_FALSE(fits(at(64 + 8, 32, 1, 32, Mode::in), tile));  // past the end of a row
  EXPECT_FALSE(fits(at(64, 32, 2, 64, Mode::in), tile));      // between rows
  EXPECT_FALSE(fits(at(64, 32, 4, 128, Mode::in), tile));     // a row more
  EXPECT_FALSE(fits(at(32, 33, 1, 33, Mode::in), tile));      // before it
  EXPECT_FALSE(fits(at(64, 8, 1, 8, Mode::out), at(64, 8, 1, 8, Mode::in)));
  EXPECT_TRUE(fits(at(900, 0, 1, 0, Mode::out), tile));  // no bytes
}

TEST(Children, ComeOutOfTheirBytesAsTheyWentIn) {
  CodeNames codes;
  Children children;
  const Access parent = at(0, 1024, 1, 1024, Mode::inout);
  for (int i = 0; i < 3; ++i) {
    const std::array<Access, 2> footprint{at(64, 8, 2, 16, Mode::in), at(128, 4, 1, 4, Mode::commutative)};
    children.add(codes, {&function, &i, sizeof i}, footprint, i == 1 ? "one" : nullptr,
                 reinterpret_cast<const void*>(&function), {&parent, 1});
  }
  int seen = 0;
  for_each_child(codes, children.bytes(),
                 [&](const ChildHead& head, std::span<const Access> footprint, std::span<const std::byte> bytes,
                     std::string_view name) {
                   EXPECT_EQ(codes.find(head.invoke), &function);
                   EXPECT_EQ(codes.find(head.site), &function);
                   ASSERT_EQ(footprint.size(), 2u);
                   EXPECT_EQ(footprint[0].region.stride_bytes, 16u);
                   EXPECT_EQ(footprint[1].mode, Mode::commutative);
                   int value = -1;
                   ASSERT_EQ(bytes.size(), sizeof value);
                   std::memcpy(&value, bytes.data(), sizeof value);
                   EXPECT_EQ(value, seen);
                   EXPECT_EQ(name, seen == 1 ? "one" : "");
                   ++seen;
                 });
  EXPECT_EQ(seen, 3);
}

// What a child says that reduces two objects, with another item between them.
std::vector<std::byte> bytes_of_a_reduction(CodeNames& codes) {
  Children children;
  auto* const sums = reinterpret_cast<int*>(memory);
  const int of_sum = -3, of_product = 1;
  const auto sum = reduce(sums[0], std::plus<>(), of_sum);
  const auto product = reduce_ordered(sums[1], std::multiplies<>(), of_product);
  const std::array<Access, 3> footprint{sum.access, at(64, 3, 1, 3, Mode::in), product.access};
  const Access parent = at(0, 1024, 1, 1024, Mode::inout);
  const char value = 'c';
  children.add(codes, {&function, &value, 1}, footprint, "odd", reinterpret_cast<const void*>(&function), {&parent, 1});
  return {children.bytes().begin(), children.bytes().end()};
}

TEST(Children, TakeTheirReductionsAlong) {
  CodeNames codes, of_master;
  int seen = 0;
  for_each_child(of_master, bytes_of_a_reduction(codes),
                 [&](const ChildHead&, std::span<const Access> footprint, std::span<const std::byte> bytes,
                     std::string_view name) {
                   ++seen;
                   ASSERT_EQ(footprint.size(), 3u);
                   int values[2];
                   std::memcpy(&values[0], footprint[0].identity, sizeof values[0]);
                   std::memcpy(&values[1], footprint[2].identity, sizeof values[1]);
                   EXPECT_EQ(values[0], -3);
                   EXPECT_EQ(values[1], 1);
                   const int three = 3;
                   footprint[0].reduction->combine(&values[0], &three);
                   footprint[2].reduction->combine(&values[1], &three);
                   EXPECT_EQ(values[0], 0);
                   EXPECT_EQ(values[1], 3);
                   EXPECT_FALSE(footprint[0].ordered);
                   EXPECT_TRUE(footprint[2].ordered);
                   EXPECT_EQ(footprint[1].region.base, memory + 64);
                   EXPECT_EQ(static_cast<char>(bytes[0]), 'c');
                   EXPECT_EQ(name, "odd");
                 });
  EXPECT_EQ(seen, 1);
}

TEST(Children, WithAnOperationThatTheMasterDoesNotHaveAreAnError) {
  CodeNames codes;
  std::vector<std::byte> bytes = bytes_of_a_reduction(codes);
  const std::uint64_t other = 0x1122334455667788;
  std::memcpy(bytes.data() + sizeof(ChildHead) + sizeof(Item) + offsetof(ChildReduction, combine), &other,
              sizeof other);
  try {
    for_each_child(codes, bytes, [](const auto&...) {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("build id " + object_text(other)));
  }
}

}  // namespace
}  // namespace weir::island
