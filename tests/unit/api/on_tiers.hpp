// SPDX-License-Identifier: Apache-2.0

// What the tests of lifetimes share: runtimes whose blocks never move, and whose blocks do.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "support.hpp"

namespace weir::test {

// On one tier, where blocks have one address for ever, and on two, where tasks register what they use.
struct Kind {
  int workers;
  const char* tiers;
};

class OnTiers : public testing::TestWithParam<Kind> {
 protected:
  static constexpr std::size_t kElements = 32 << 10;  // of a block
  Options options() const {
    Options options = with_workers(GetParam().workers);
    options.tiers = GetParam().tiers;
    return options;
  }
};

#define WEIR_ON_TIERS(Suite)                                                                                           \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      , Suite,                                                                                                         \
      ::testing::Values(::weir::test::Kind{1, "memory=64MiB"}, ::weir::test::Kind{4, "memory=64MiB"},                  \
                        ::weir::test::Kind{1, "memory=1MiB,file=/tmp:64MiB"},                                          \
                        ::weir::test::Kind{4, "memory=1MiB,file=/tmp:64MiB"}),                                         \
      [](const auto& test) {                                                                                           \
        return (test.index < 2 ? "moving_never_" : "moving_") + std::to_string(test.param.workers);                    \
      })

inline void fill(std::span<double> values) {
  for (double& value : values) value += 1;
}

inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace weir::test
