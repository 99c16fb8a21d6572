// SPDX-License-Identifier: Apache-2.0

#include "platform/cache_lines.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace weir::platform {
namespace {

TEST(CacheLines, KeepWhatIsInThem) {
  if (cache_line_instructions().empty()) GTEST_SKIP() << "this processor has no such instructions";
  std::vector<int> numbers(10'000);
  for (const CacheLineInstructions& instructions : cache_line_instructions()) {
    SCOPED_TRACE(instructions.name);
    std::iota(numbers.begin(), numbers.end(), 1);
    instructions.write_back(numbers.data(), numbers.size() * sizeof(int));
    instructions.invalidate(numbers.data() + 1, (numbers.size() - 1) * sizeof(int));
    instructions.write_back(numbers.data() + 3, 0);
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 50'005'000);
  }
}

}  // namespace
}  // namespace weir::platform
