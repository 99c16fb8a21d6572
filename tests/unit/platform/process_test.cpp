// SPDX-License-Identifier: Apache-2.0

#include "platform/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace weir::platform {
namespace {

constexpr double kLong = 60;

std::string failure_to_run(const std::string& script, double seconds = kLong) {
  const auto result = output_of({"/bin/sh", "-c", script}, seconds);
  return result ? "no failure" : result.status().message;
}

TEST(Process, GivesWhatTheProgramPrinted) {
  const auto result = output_of({"/bin/sh", "-c", "echo one; echo two"}, kLong);
  ASSERT_TRUE(result) << result.status().message;
  EXPECT_EQ(*result, "one\ntwo\n");
}

TEST(Process, HandsInputToTheProgram) {
  const auto result = output_of({"/bin/cat"}, kLong, std::string(200'000, 'x'));
  ASSERT_TRUE(result) << result.status().message;
  EXPECT_EQ(result->size(), 200'000U);
}

TEST(Process, QuotesTheLastLineOfAProgramThatFails) {
  EXPECT_EQ(failure_to_run("echo first >&2; echo the reason >&2; exit 3"), "sh exited with status 3: the reason");
}

TEST(Process, NamesTheSignalThatKilledTheProgram) {
  EXPECT_EQ(failure_to_run("kill -SEGV $$"), "sh was killed by signal 11 (Segmentation fault)");
}

TEST(Process, KillsAProgramThatTakesTooLong) {
  EXPECT_EQ(failure_to_run("exec sleep 1000", 0.05), "sh did not end within 0.05 s and was killed");
}

TEST(Process, SaysWhyAProgramCannotBeStarted) {
  const auto result = output_of({"/no/such/program"}, kLong);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.status().message, "/no/such/program: cannot be run: No such file or directory");
}

TEST(Process, SurvivesMoreErrorOutputThanAPipeHolds) {
  EXPECT_EQ(failure_to_run("i=0; while [ $i -lt 20000 ]; do echo padding >&2; i=$((i+1)); done; echo end >&2; exit 1"),
            "sh exited with status 1: end");
}

TEST(Process, HasItsVariablesInAdditionToOurs) {
  auto out = Pipe::make();
  ASSERT_TRUE(out);
  Command command{{"/bin/sh", "-c", "echo $WEIR_PROCESS_TEST $HOME"}, {{"WEIR_PROCESS_TEST", "set"}, {"HOME", "here"}}};
  command.out = out->write.number();
  auto process = Process::start(command);
  ASSERT_TRUE(process);
  out->write.close();
  const Collected collected = collect(*process, kLong, *out);
  EXPECT_EQ(collected.out, "set here\n");
  EXPECT_TRUE(collected.end.well());
}

TEST(Process, IsPreparedBeforeItsProgramBegins) {
  auto ended = [](bool prepared) {
    Command command{{"true"}};
    command.dies_with_us = true;
    command.prepare = [prepared] { return prepared; };
    return Process::start(command)->wait().status;
  };
  EXPECT_EQ(ended(true), 0);
  EXPECT_EQ(ended(false), 126);
  Command missing{{"/no/such/program"}};
  missing.dies_with_us = true;
  EXPECT_EQ(Process::start(missing).status().message, "/no/such/program: cannot be run: No such file or directory");
}

TEST(Process, SaysHowACopyOfThisOneHasEnded) {
  EXPECT_EQ(Process::fork([] { return 3; })->wait().status, 3);
  const ProcessEnd end = Process::fork([] { return ::raise(SIGKILL); })->wait();
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.status, 128 + SIGKILL);
}

}  // namespace
}  // namespace weir::platform
