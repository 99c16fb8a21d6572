// SPDX-License-Identifier: Apache-2.0

#include "memory/parse_size.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace weir::memory {
namespace {

TEST(ParseSize, ReadsANumberAndAUnit) {
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"4096", 4096},       {"1B", 1},           {"64 KB", 64'000},
      {"1MB", 1'000'000},   {"2gb", 2000000000}, {"1TB", 1'000'000'000'000},
      {"64KiB", 64 << 10},  {"1MiB", 1 << 20},   {"1.5GiB", 3ULL << 29},
      {"1tib", 1ULL << 40}, {"1e3", 1000},       {"1000TB", 1'000'000'000'000'000}};
  for (const auto& [text, bytes] : sizes) {
    const auto size = parse_size(text);
    ASSERT_TRUE(size) << text;
    EXPECT_EQ(size->count, bytes) << text;
  }
}

TEST(ParseSize, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "a size is needed, such as 512MB or 1.5GiB"},
      {"much", "a size is needed, such as 512MB or 1.5GiB"},
      {"nan", "a size is needed, such as 512MB or 1.5GiB"},
      {"1M", "unknown unit; allowed is B, KB, MB, GB, TB, KiB, MiB, GiB or TiB"},
      {"5XB", "unknown unit; allowed is B, KB, MB, GB, TB, KiB, MiB, GiB or TiB"},
      {"0", "a size is above 0"},
      {"-5MB", "a size is above 0"},
      {"1e400", "a size of 1 PB at most"},
      {"inf", "a size of 1 PB at most"},
      {"1001TB", "a size of 1 PB at most"}};
  for (const auto& [text, why] : mistakes) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.status().message, why) << text;
  }
}

}  // namespace
}  // namespace weir::memory
