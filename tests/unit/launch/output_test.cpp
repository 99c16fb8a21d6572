// SPDX-License-Identifier: Apache-2.0

#include "launch/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "platform/process.hpp"

namespace weir::launch {
namespace {

TEST(Lines, GoOnWhenTheyAreWhole) {
  Lines lines("");
  std::string to;
  lines.add("one\ntwo\nthr", to);
  EXPECT_EQ(to, "one\ntwo\n");
  EXPECT_TRUE(lines.has_begun());
  lines.add("ee\n", to);
  EXPECT_EQ(to, "one\ntwo\nthree\n");
  EXPECT_FALSE(lines.has_begun());
}

TEST(Lines, HaveALabelEachAndAnEndOnRequest) {
  Lines lines("[3] ");
  std::string to;
  lines.add("one\n\ntw", to);
  lines.finish(to);
  EXPECT_EQ(to, "[3] one\n[3] \n[3] tw\n");
}

TEST(Lines, WithoutALabelEndAsTheyAre) {
  Lines lines("");
  std::string to;
  lines.add("prompt: ", to);
  lines.finish(to);
  lines.finish(to);
  EXPECT_EQ(to, "prompt: ");
}

TEST(Lines, RememberTheLastThatIsNotBlank) {
  Lines lines("[3] ");
  std::string to;
  lines.add("first\nthe reason\n \n\n", to);
  EXPECT_EQ(lines.last(), "the reason");
  lines.add("unfinished", to);
  lines.finish(to);
  EXPECT_EQ(lines.last(), "unfinished");
}

TEST(Lines, OfAnyLengthTakeBoundedMemory) {
  Lines lines("");
  std::string to;
  for (int i = 0; i < 15; ++i) lines.add(std::string(1'000'000, 'x'), to);
  EXPECT_EQ(to.size(), 0U) << "lines of other ranks may come in between";
  for (int i = 0; i < 15; ++i) lines.add(std::string(1'000'000, 'x'), to);
  EXPECT_GE(to.size(), 30'000'000 - Lines::kLongest);
  lines.finish(to);
  EXPECT_EQ(to.size(), 30'000'000U);
}

TEST(Outlet, WritesWhatAPipeTakesAndKeepsTheRest) {
  auto pipe = platform::Pipe::make();
  ASSERT_TRUE(pipe);
  fcntl(pipe->write.number(), F_SETFL, O_NONBLOCK);
  Outlet outlet(pipe->write.number());
  EXPECT_TRUE(outlet.is_at_line_start());
  outlet.waiting() = std::string(1'000'000, 'x');
  EXPECT_TRUE(outlet.is_full());
  for (int i = 0; i < 1000; ++i) outlet.write_some();
  EXPECT_TRUE(outlet.has_more());
  EXPECT_FALSE(outlet.is_broken());
  EXPECT_FALSE(outlet.is_at_line_start());
}

TEST(Outlet, ThatNobodyReadsIsBroken) {
  auto pipe = platform::Pipe::make();
  ASSERT_TRUE(pipe);
  pipe->read.close();
  const auto before = signal(SIGPIPE, SIG_IGN);
  Outlet outlet(pipe->write.number());
  outlet.waiting() = "lost\n";
  outlet.write_some();
  EXPECT_TRUE(outlet.is_broken());
  outlet.waiting() = "lost, too\n";
  outlet.write_some();
  EXPECT_FALSE(outlet.has_more());
  signal(SIGPIPE, before);
}

}  // namespace
}  // namespace weir::launch
