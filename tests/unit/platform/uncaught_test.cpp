// SPDX-License-Identifier: Apache-2.0

#include "platform/uncaught.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "weir/error.hpp"

namespace weir {
namespace {

template <class Exception>
[[gnu::noinline]] void throw_one(const char* text) {
  throw Exception(text);
}

template <class Exception>
void throw_where_nobody_catches(const char* text) noexcept {
  throw_one<Exception>(text);
}

TEST(UncaughtDeathTest, AnErrorOfWeirIsOneLineAndExitStatus2) {
  EXPECT_EXIT(throw_where_nobody_catches<Error>("tier x: no\n\x1b[31msuch"), testing::ExitedWithCode(2),
              "^weir: tier x: no\\\\n\\\\x1b\\[31msuch\n$");
}

TEST(UncaughtDeathTest, OtherExceptionsAndEndsAreLeftToTheHandlerBefore) {
  EXPECT_EXIT(throw_where_nobody_catches<std::runtime_error>("another's"), testing::KilledBySignal(SIGABRT),
              "std::runtime_error");
  EXPECT_EXIT(std::terminate(), testing::KilledBySignal(SIGABRT), "");
}

TEST(UncaughtDeathTest, AProgramsOwnHandlerIsNotReplaced) {
  const auto own = [] {
    std::set_terminate([] {
      std::fputs("mine\n", stderr);
      std::_Exit(7);
    });
    platform::report_uncaught_errors();
    throw_where_nobody_catches<Error>("x");
  };
  EXPECT_EXIT(own(), testing::ExitedWithCode(7), "^mine\n$");
}

}  // namespace
}  // namespace weir
