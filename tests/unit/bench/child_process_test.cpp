// SPDX-License-Identifier: Apache-2.0

#include "bench/report/child_process.hpp"

#include <gtest/gtest.h>

namespace weir::bench {
namespace {

constexpr double kLong = 60;

std::string failure_of(const std::string& script, double seconds = kLong) {
  const auto result = run_process({"/bin/sh", "-c", script}, seconds);
  return result ? "no failure" : result.status().message;
}

TEST(RunProcess, GivesWhatTheProgramPrinted) {
  const auto result = run_process({"/bin/sh", "-c", "echo one; echo two"}, kLong);
  ASSERT_TRUE(result) << result.status().message;
  EXPECT_EQ(*result, "one\ntwo\n");
}

TEST(RunProcess, HandsInputToTheProgram) {
  const auto result = run_process({"/bin/cat"}, std::string(200'000, 'x'), kLong);
  ASSERT_TRUE(result) << result.status().message;
  EXPECT_EQ(result->size(), 200'000U);
}

TEST(RunProcess, QuotesTheLastLineOfAProgramThatFails) {
  EXPECT_EQ(failure_of("echo first >&2; echo the reason >&2; exit 3"), "sh exited with status 3: the reason");
}

TEST(RunProcess, NamesTheSignalThatKilledTheProgram) {
  EXPECT_EQ(failure_of("kill -SEGV $$"), "sh was killed by signal 11 (Segmentation fault)");
}

TEST(RunProcess, KillsAProgramThatTakesTooLong) {
  EXPECT_EQ(failure_of("exec sleep 1000", 0.05), "sh did not end within 0.05 s and was killed");
}

TEST(RunProcess, SaysWhyAProgramCannotBeStarted) {
  const auto result = run_process({"/no/such/program"}, kLong);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.status().message, "/no/such/program cannot be started: No such file or directory");
}

TEST(RunProcess, SurvivesMoreErrorOutputThanAPipeHolds) {
  EXPECT_EQ(failure_of("i=0; while [ $i -lt 20000 ]; do echo padding >&2; i=$((i+1)); done; echo end >&2; exit 1"),
            "sh exited with status 1: end");
}

}  // namespace
}  // namespace weir::bench
