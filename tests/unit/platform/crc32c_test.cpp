// SPDX-License-Identifier: Apache-2.0

#include "platform/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace weir::platform {
namespace {

std::string text_of(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Crc32c, IsThatOfTheStandard) {  // RFC 3720, B.4, and the usual check value
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32c, IsTheSameByTableAndByInstruction) {
  for (std::size_t bytes = 0; bytes < 70; ++bytes) {
    const std::string text = text_of(bytes, 1);
    EXPECT_EQ(crc32c(text), crc32c_by_table(text)) << bytes;
    EXPECT_EQ(crc32c(text, 7), crc32c_by_table(text, 7)) << bytes;
  }
}

TEST(Crc32c, OfTwoPiecesIsThatOfTheWhole) {
  const std::string text = text_of(100'000, 2);
  for (const std::size_t at : {0UL, 1UL, 7UL, 8UL, 4096UL, 65'537UL, 99'999UL, 100'000UL}) {
    const std::string_view first = std::string_view(text).substr(0, at), second = std::string_view(text).substr(at);
    EXPECT_EQ(crc32c(second, crc32c(first)), crc32c(text)) << at;
  }
}

TEST(Crc32c, ChangesWithEachBit) {
  std::string text = text_of(300, 3);
  const std::uint32_t whole = crc32c(text);
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(crc32c(text), whole) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  }
}

}  // namespace
}  // namespace weir::platform
