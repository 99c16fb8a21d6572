// SPDX-License-Identifier: Apache-2.0

#include "platform/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace weir::platform
