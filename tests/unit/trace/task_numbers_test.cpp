#include "trace/task_numbers.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace weir::trace {
namespace {

TEST(TaskNumbers, CountFromOneInTheOrderInWhichTasksAreAdded) {
  TaskNumbers numbers(0);
  EXPECT_EQ(numbers.add(77), 1u);
  EXPECT_EQ(numbers.add(5), 2u);
  EXPECT_EQ(numbers.add(77), 1u);
  EXPECT_EQ(numbers.find(5), 2u);
  EXPECT_EQ(numbers.find(6), 0u);
  EXPECT_EQ(numbers.count(), 2u);
}

// What tasks are known by: a place in memory, and above it how often it was used.
TEST(TaskNumbers, KeepUsesOfOnePlaceApartWhileTheyGrow) {
  TaskNumbers numbers(4);
  std::uint32_t expected = 0;
  for (std::uint64_t use = 1; use <= 500; ++use) {
    for (std::uint64_t place = 0; place < 40; ++place) EXPECT_EQ(numbers.add((1000 + place) | use << 41), ++expected);
  }
  expected = 0;
  for (std::uint64_t use = 1; use <= 500; ++use) {
    for (std::uint64_t place = 0; place < 40; ++place) EXPECT_EQ(numbers.find((1000 + place) | use << 41), ++expected);
  }
}

}  // namespace
}  // namespace weir::trace
