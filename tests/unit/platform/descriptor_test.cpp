// SPDX-License-Identifier: Apache-2.0

#include "platform/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "platform/own_descriptor.hpp"

namespace weir::platform {
namespace {

TEST(Descriptor, IsAboveThoseOfTheStandardStreams) {
  const int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  ::close(STDIN_FILENO);
  {
    const int number = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(number, STDIN_FILENO);
    const Descriptor file(number);
    EXPECT_GT(file.number(), STDERR_FILENO);
    EXPECT_EQ(fcntl(file.number(), F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1) << "the number is free again";
  }
  if (kept >= 0) dup2(kept, STDIN_FILENO);
  ::close(kept);
}

TEST(Descriptor, KeepsANumberThatIsAbove) {
  EXPECT_EQ(above_standard(77), 77);
  EXPECT_EQ(above_standard(-1), -1);
  EXPECT_FALSE(Descriptor().is_open());
}

TEST(OwnDescriptor, LeavesToOthersANumberThatWasClosed) {
  int ends[2], others[2];
  ASSERT_EQ(pipe(ends), 0);
  OwnDescriptor own(ends[0]);
  EXPECT_EQ(own.number(), ends[0]);
  ::close(ends[0]);
  EXPECT_EQ(own.number(), -1);
  ASSERT_EQ(pipe(others), 0);
  ASSERT_EQ(others[0], ends[0]);
  EXPECT_EQ(own.number(), -1);
  own.close();
  EXPECT_GE(fcntl(others[0], F_GETFD), 0);
  for (const int file : {ends[1], others[0], others[1]}) ::close(file);
}

TEST(OwnDescriptor, IsClosedOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OwnDescriptor own(ends[0]);
  own.close();
  EXPECT_LT(fcntl(ends[0], F_GETFD), 0);
  EXPECT_EQ(own.number(), -1);
  ::close(ends[1]);
  EXPECT_EQ(OwnDescriptor(-1).number(), -1);
}

}  // namespace
}  // namespace weir::platform
