// SPDX-License-Identifier: Apache-2.0

#include "platform/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>

#include <cstdlib>
#include <optional>
#include <thread>

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
  if (std::getenv("QEMU_LD_PREFIX") != nullptr)
    GTEST_SKIP() << "QEMU makes a fork() of vfork(), which keeps the reason";
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

TEST(Process, DoesNotGetVariablesThatAreRemoved) {
  setenv("WEIR_PROCESS_A", "a", 1);
  setenv("WEIR_PROCESS_AB", "ab", 1);
  setenv("WEIR_PROCESS_C", "c", 1);
  const auto seen = [](std::vector<std::string> removed) {
    Command command{{"/bin/sh", "-c", "echo $WEIR_PROCESS_A $WEIR_PROCESS_AB $WEIR_PROCESS_C"}};
    command.removed = std::move(removed);
    const auto done = run(command, kLong);
    return done ? done->out : done.status().message;
  };
  EXPECT_EQ(seen({}), "a ab c\n");
  EXPECT_EQ(seen({"WEIR_PROCESS_A"}), "ab c\n");
  EXPECT_EQ(seen({"WEIR_PROCESS_A*", "WEIR_PROCESS_B"}), "c\n");
  for (const char* name : {"WEIR_PROCESS_A", "WEIR_PROCESS_AB", "WEIR_PROCESS_C"}) unsetenv(name);
}

TEST(Process, ThatCannotBecomeAProgramGoesOn) {
  setenv("WEIR_PROCESS_A", "a", 1);
  const base::Status failed = become({{"/no/such/program"}, {{"WEIR_PROCESS_A", "b"}}});
  EXPECT_EQ(failed.message, "/no/such/program: cannot be run: No such file or directory");
  EXPECT_STREQ(getenv("WEIR_PROCESS_A"), "a") << "in its own environment";
  unsetenv("WEIR_PROCESS_A");
}

TEST(Process, BecomesAProgram) {
  const auto copy = Process::fork([] {
    static_cast<void>(become({{"/bin/sh", "-c", "exit 7"}}));
    return 1;
  });
  ASSERT_TRUE(copy);
  EXPECT_EQ(Process(*copy).wait().status, 7);
}

TEST(Process, IsAmongTheChildrenUntilItsEndWasAskedFor) {
  auto started = Process::start({{"sleep", "1000"}});
  ASSERT_TRUE(started);
  EXPECT_THAT(children_of_this_thread(), testing::Contains(started->pid()));
  EXPECT_FALSE(reap_child());
  EXPECT_FALSE(is_exiting(started->pid()));
  started->kill();
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(started->pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_exiting(started->pid()));
  const auto reaped = reap_child();
  ASSERT_TRUE(reaped);
  EXPECT_EQ(reaped->pid, started->pid());
  EXPECT_EQ(reaped->end.signal, SIGKILL);
  EXPECT_THAT(children_of_this_thread(), testing::Not(testing::Contains(started->pid())));
}

TEST(Process, HasALifeThatEndsWithItOrWithItsProgram) {
  const std::uint64_t own = life_of(getpid());
  EXPECT_NE(own, 0u);
  EXPECT_TRUE(lives(getpid(), own));
  EXPECT_FALSE(lives(getpid(), own + (std::uint64_t{1} << 32))) << "another process of this number";
  EXPECT_FALSE(lives(getpid(), own + 1)) << "another program in it";
  auto started = Process::start({{"sleep", "1000"}});
  ASSERT_TRUE(started);
  // The kernel may still be making the program: until two looks agree.
  std::uint64_t life = 0, before = 1;
  for (int looks = 0; looks < 1000 && (life != before || (life & 0xffffffff) == 0); ++looks) {
    before = life;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    life = life_of(started->pid());
  }
  EXPECT_TRUE(lives(started->pid(), life));
  started->kill();
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(started->pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(life_of(started->pid()), 0u);
  EXPECT_FALSE(lives(started->pid(), life));
  started->wait();
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

TEST(Process, DoesNotTakeAnEndThatNobodyHasKeptForAGoodOne) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const ProcessEnd waited = Process::start({{"true"}})->wait();
  EXPECT_FALSE(waited.known);
  EXPECT_FALSE(waited.well());
  auto looked_at = Process::start({{"true"}});
  std::optional<ProcessEnd> looked;
  while (!looked) looked = looked_at->ended();
  EXPECT_FALSE(looked->known);
  EXPECT_EQ(failure_to_run("echo said"),
            "sh has ended, and how is not known: this process ignores SIGCHLD, or waits for all of its children");
  ::signal(SIGCHLD, before);
}

TEST(Process, SaysHowACopyOfThisOneHasEnded) {
  EXPECT_EQ(Process::fork([] { return 3; })->wait().status, 3);
  const ProcessEnd end = Process::fork([] { return ::raise(SIGKILL); })->wait();
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.status, 128 + SIGKILL);
}

}  // namespace
}  // namespace weir::platform
