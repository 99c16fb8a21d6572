// SPDX-License-Identifier: Apache-2.0

#include "platform/stream_kernels.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "platform/pages.hpp"

namespace weir::platform {
namespace {

constexpr std::size_t kCount = 4 * kStreamBlock;

// Three aligned arrays with a guard block behind each.
class Loops : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < kCount + kStreamBlock; ++i) a_[i] = double(i), b_[i] = 10.0 * double(i), c_[i] = -1.0;
  }
  const StreamLoops& loops() const { return GetParam() ? stream_kernels().non_temporal : stream_kernels().temporal; }
  static std::vector<double> copy_of(const double* array) { return {array, array + kCount + kStreamBlock}; }
  // What `array` holds when f(i) was stored in its first kCount elements, and nothing behind them.
  template <class F>
  void expect(const double* array, const std::vector<double>& before, F f) const {
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(array[i], i < kCount ? f(double(i)) : before[i]) << i;
  }

  Pages memory_ = Pages::map({3 * (kCount + kStreamBlock) * sizeof(double)}, std::nullopt).value();
  double* a_ = static_cast<double*>(memory_.data());
  double* b_ = a_ + kCount + kStreamBlock;
  double* c_ = b_ + kCount + kStreamBlock;
};

TEST_P(Loops, CopyStoresAInC) {
  const auto before = copy_of(c_);
  loops().copy(a_, b_, c_, 3, kCount);
  expect(c_, before, [](double i) { return i; });
}

TEST_P(Loops, ScaleStoresMultiplesOfCInB) {
  const auto before = copy_of(b_);
  loops().scale(a_, b_, c_, 3, kCount);
  expect(b_, before, [](double) { return -3.0; });
}

TEST_P(Loops, AddStoresTheSumOfAAndBInC) {
  const auto before = copy_of(c_);
  loops().add(a_, b_, c_, 3, kCount);
  expect(c_, before, [](double i) { return 11 * i; });
}

TEST_P(Loops, TriadStoresBPlusMultiplesOfCInA) {
  const auto before = copy_of(a_);
  loops().triad(a_, b_, c_, 3, kCount);
  expect(a_, before, [](double i) { return 10 * i - 3; });
}

TEST_P(Loops, FillStoresTheNumber) {
  const auto before = copy_of(a_);
  loops().fill(a_, nullptr, nullptr, 2.5, kCount);
  expect(a_, before, [](double) { return 2.5; });
}

INSTANTIATE_TEST_SUITE_P(Stores, Loops, testing::Bool(),
                         [](const auto& param) { return param.param ? "NonTemporal" : "Temporal"; });

TEST(Sum, AddsEveryElementOnce) {
  const Pages memory = Pages::map({kCount * sizeof(double)}, std::nullopt).value();
  auto* a = static_cast<double*>(memory.data());
  std::iota(a, a + kCount, 1.0);
  EXPECT_EQ(stream_kernels().sum(a, kCount), double(kCount) * double(kCount + 1) / 2);
}

}  // namespace
}  // namespace weir::platform
