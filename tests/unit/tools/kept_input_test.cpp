// SPDX-License-Identifier: Apache-2.0

#include "kept_input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace weir::tool {
namespace {

using platform::Descriptor;
using platform::Pipe;

// What a program that reads so many bytes, or all, has read when it ends.
std::string read_by_a_run(KeptInput& input, std::size_t most = SIZE_MAX) {
  KeptInput::Run run(input);
  EXPECT_TRUE(run.status()) << run.status().message;
  platform::Command command{{"head", "-c", std::to_string(std::min<std::size_t>(most, 1 << 30))}};
  command.in = run.number();
  auto out = Pipe::make();
  command.out = out->write.number();
  auto process = platform::Process::start(command);
  run.started();
  out->write.close();
  return platform::collect(*process, 60, *out).out;
}

TEST(KeptInput, OfAPipeIsTheSameForEachRunHoweverMuchThoseBeforeHaveRead) {
  auto pipe = Pipe::make();
  ASSERT_EQ(::write(pipe->write.number(), "one two", 7), 7);
  pipe->write.close();
  KeptInput input(pipe->read.number());
  EXPECT_EQ(read_by_a_run(input, 3), "one");
  EXPECT_EQ(read_by_a_run(input), "one two");
  EXPECT_EQ(read_by_a_run(input), "one two");
}

TEST(KeptInput, OfAPipeThatDoesNotEndKeepsNobodyWhoHasReadWhatHeWants) {
  auto pipe = Pipe::make();
  KeptInput input(pipe->read.number());
  EXPECT_EQ(read_by_a_run(input, 0), "");
  ASSERT_EQ(::write(pipe->write.number(), "one", 3), 3);
  EXPECT_EQ(read_by_a_run(input, 3), "one");
  ASSERT_EQ(::write(pipe->write.number(), " two", 4), 4);
  EXPECT_EQ(read_by_a_run(input, 7), "one two");
}

TEST(KeptInput, OfAPipeIsGivenToOneRunThoughMoreThanIsKept) {
  auto pipe = Pipe::make();
  const std::string text(5000, 'x');
  ASSERT_EQ(::write(pipe->write.number(), text.data(), text.size()), 5000);
  pipe->write.close();
  KeptInput input(pipe->read.number(), 4096);
  EXPECT_EQ(read_by_a_run(input), text);
  KeptInput::Run second(input);
  EXPECT_EQ(second.status().code, base::Code::no_space);
  EXPECT_NE(second.status().message.find("put it in a file, and say < FILE"), std::string::npos);
}

TEST(KeptInput, OfAFileBeginsWhereTheFileStandsEachTime) {
  std::string name = testing::TempDir() + "weir-input-XXXXXX";
  const Descriptor file(::mkstemp(name.data()));
  ASSERT_EQ(::write(file.number(), "one two", 7), 7);
  ASSERT_EQ(::lseek(file.number(), 4, SEEK_SET), 4);
  KeptInput input(file.number());
  // The program has it as it stands: number() says that it inherits ours.
  for (int run = 0; run < 2; ++run) {
    KeptInput::Run next(input);
    EXPECT_EQ(next.number(), platform::Command::kInherited);
    char text[8] = {};
    EXPECT_EQ(::read(file.number(), text, sizeof text), 3);
    EXPECT_STREQ(text, "two");
  }
  ::unlink(name.c_str());
}

TEST(KeptInput, OfATerminalIsNothing) {
  const Descriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY));
  if (!terminal.is_open() || ::grantpt(terminal.number()) != 0 || ::unlockpt(terminal.number()) != 0)
    GTEST_SKIP() << "there are no terminals here";
  const Descriptor program_side(::open(::ptsname(terminal.number()), O_RDWR | O_NOCTTY));
  if (!program_side.is_open()) GTEST_SKIP() << "there are no terminals here";
  KeptInput input(program_side.number());
  EXPECT_TRUE(input.is_terminal());
  EXPECT_EQ(KeptInput::Run(input).number(), platform::Command::kNothing);
}

TEST(KeptInput, ThatIsNotOpenOrADeviceIsAsItIs) {
  KeptInput closed(-1);
  EXPECT_EQ(KeptInput::Run(closed).number(), platform::Command::kInherited);
  const Descriptor device(::open("/dev/null", O_RDONLY));
  KeptInput null(device.number());
  EXPECT_EQ(KeptInput::Run(null).number(), platform::Command::kInherited);
  EXPECT_FALSE(null.is_terminal());
}

}  // namespace
}  // namespace weir::tool
