// SPDX-License-Identifier: Apache-2.0

// The checks of the five programs find a wrong result; the programs themselves run under every runtime in tests of
// their own (apps/bddt/CMakeLists.txt).
#include <gtest/gtest.h>

#include <vector>

#include "apps/bddt/problems.hpp"
#include "apps/bddt/programs.hpp"
#include "apps/bddt/serial_tasks.hpp"
#include "apps/bddt/sizes.hpp"

namespace weir::apps::bddt {
namespace {

TEST(BddtChecks, APriceThatWasNotComputedIsFound) {
  constexpr std::size_t kOptions = 1000;
  std::vector<float> rows(kOptionRows * kOptions), prices(kOptions);
  fill_options(rows.data(), kOptions);
  price_options(rows.data(), kOptions, prices.data(), kOptions);
  EXPECT_EQ(check_prices(rows.data(), prices.data(), kOptions), "");
  prices[999] += 0.01f;
  EXPECT_NE(check_prices(rows.data(), prices.data(), kOptions).find("price 999"), std::string::npos);
}

// Runs no tasks from some run on.
struct TasksThatStop : SerialTasks {
  TasksThatStop() : SerialTasks(1) {}
  template <class F, class... Items>
  void task(const char* name, F function, const Items&... items) {
    if (!has_stopped) SerialTasks::task(name, function, items...);
  }
  bool has_stopped = false;
};

TEST(BddtChecks, PricesOfARunBeforeAreNotTakenForThoseOfThisOne) {
  TasksThatStop tasks;
  BlackScholes<TasksThatStop> program(tasks, size_of("blackscholes", "small"));
  program.fill();
  program.work(tasks);
  EXPECT_EQ(program.check(), "");
  tasks.has_stopped = true;
  program.fill();
  program.work(tasks);
  EXPECT_NE(program.check().find("price 0"), std::string::npos);
}

TEST(BddtChecks, AProductWithoutOneOfItsTermsIsFound) {
  load_kernels(0);
  constexpr std::size_t kSide = 64;
  std::vector<float> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide);
  fill_factors(a.data(), b.data(), kSide);
  multiply_tiles(a.data(), b.data(), c.data(), kSide, kSide);
  EXPECT_EQ(check_product(a.data(), b.data(), c.data(), kSide), "");
  c[kSide + 1] += 1;
  EXPECT_NE(check_product(a.data(), b.data(), c.data(), kSide), "");
}

TEST(BddtChecks, ATransformWithoutItsLastTranspositionIsFound) {
  constexpr std::size_t kSide = 32;
  load_kernels(kSide);
  std::vector<Complex> data(kSide * kSide);
  fill_signal(data.data(), kSide);
  transform_rows(data.data(), kSide, kSide);
  transpose_tiles(data.data(), data.data(), kSide, kSide);
  transform_rows(data.data(), kSide, kSide);
  EXPECT_NE(check_transform(data.data(), kSide), "");
  transpose_tiles(data.data(), data.data(), kSide, kSide);
  EXPECT_EQ(check_transform(data.data(), kSide), "");
}

TEST(BddtChecks, AStepThatWasMissedIsFound) {
  constexpr std::size_t kSide = 66;
  std::vector<float> from(kSide * kSide), to(kSide * kSide);
  fill_wave(from.data(), kSide);
  relax_tile(&from[kSide + 1], &to[kSide + 1], kSide - 2, kSide - 2, kSide);
  EXPECT_EQ(check_wave(to.data(), kSide, 1), "");
  EXPECT_NE(check_wave(to.data(), kSide, 2), "");
}

TEST(BddtChecks, AFactorWithAWrongElementIsFound) {
  load_kernels(0);
  constexpr std::size_t kSide = 48;
  std::vector<double> a(kSide * kSide);
  fill_definite(a.data(), kSide);
  factor_tile(a.data(), kSide, kSide);
  EXPECT_EQ(check_factor(a.data(), kSide), "");
  a[kSide] += 1e-3;
  EXPECT_NE(check_factor(a.data(), kSide), "");
}

TEST(BddtSizes, EveryNamedSizeIsOneThatTheProgramsTake) {
  for (const std::string& program : program_names())
    for (const std::string& name : size_names()) EXPECT_EQ(fault_of(size_of(program, name)), "") << program << name;
}

TEST(BddtSizes, TilesAreWholeLinesAndSeveral) {
  EXPECT_NE(fault_of({100, 10, 1}), "");
  EXPECT_NE(fault_of({64, 64, 1}), "");
  EXPECT_NE(fault_of({100, 64, 1}), "");
  EXPECT_NE(fault_of({64, 32, 0}), "");
}

}  // namespace
}  // namespace weir::apps::bddt
