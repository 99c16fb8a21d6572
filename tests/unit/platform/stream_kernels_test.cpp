// SPDX-License-Identifier: Apache-2.0

#include "platform/stream_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "platform/pages.hpp"

namespace weir::platform {
namespace {

constexpr std::size_t kCount = 4 * kStreamBlock;

// For each instruction set of this build: those that this CPU lacks are skipped, which is said.
class EachSet : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!choice().runs) GTEST_SKIP() << "this CPU has no " << choice().kernels->instructions;
  }
  StreamChoice choice() const { return stream_choices()[GetParam() % kMostStreamChoices]; }
  const StreamKernels& kernels() const { return *choice().kernels; }
};
std::vector<std::size_t> numbers_of_sets(std::size_t kinds) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < kinds * kMostStreamChoices; ++i)
    if (stream_choices()[i % kMostStreamChoices].kernels != nullptr) numbers.push_back(i);
  return numbers;
}
std::string name_of_set(std::size_t number) {
  return stream_choices()[number % kMostStreamChoices].kernels->instructions;
}

// Three aligned arrays with a guard block behind each.
class Loops : public EachSet {
 protected:
  void SetUp() override {
    EachSet::SetUp();
    for (std::size_t i = 0; i < kCount + kStreamBlock; ++i) a_[i] = double(i), b_[i] = 10.0 * double(i), c_[i] = -1.0;
  }
  static bool is_non_temporal(std::size_t number) { return number >= kMostStreamChoices; }
  const StreamLoops& loops() const { return is_non_temporal(GetParam()) ? kernels().non_temporal : kernels().temporal; }
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

INSTANTIATE_TEST_SUITE_P(Sets, Loops, testing::ValuesIn(numbers_of_sets(2)), [](const auto& param) {
  return name_of_set(param.param) + (param.param < kMostStreamChoices ? "Temporal" : "NonTemporal");
});

TEST_P(EachSet, SumAddsEveryElementOnce) {
  const Pages memory = Pages::map({kCount * sizeof(double)}, std::nullopt).value();
  auto* a = static_cast<double*>(memory.data());
  std::iota(a, a + kCount, 1.0);
  EXPECT_EQ(kernels().sum(a, kCount), double(kCount) * double(kCount + 1) / 2);
}

TEST_P(EachSet, CopyBytesCopiesThemAndNoOthers) {
  std::vector<std::byte> from(5000), to(5200);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251 + 1);
  for (std::size_t bytes = 0; bytes < 4900; bytes = bytes < 70 ? bytes + 1 : 2 * bytes + 3) {
    for (std::size_t shift = 0; shift < 64; shift += 3) {
      std::fill(to.begin(), to.end(), std::byte{0});
      kernels().copy_bytes(to.data() + shift, from.data() + shift / 2, bytes);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool inside = i >= shift && i < shift + bytes;
        ASSERT_EQ(to[i], inside ? from[i - shift + shift / 2] : std::byte{0}) << bytes << " bytes, shift " << shift;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Sets, EachSet, testing::ValuesIn(numbers_of_sets(1)),
                         [](const auto& param) { return name_of_set(param.param); });

TEST(StreamKernels, ThoseThatAreUsedAreTheFirstThatRun) {
  for (const StreamChoice& choice : stream_choices()) {
    if (!choice.runs) continue;
    EXPECT_EQ(&stream_kernels(), choice.kernels);
    break;
  }
}

}  // namespace
}  // namespace weir::platform
