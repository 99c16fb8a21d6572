// SPDX-License-Identifier: Apache-2.0

#include "platform/companion.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

#include "denied_calls.hpp"

namespace weir::platform {
namespace {

TEST(Companion, OneThatIsInNeitherPlaceIsMissingAndBothAreNamed) {
  const base::Status status = find_companion("no-such-companion", "src/nowhere").status();
  EXPECT_EQ(status.code, base::Code::not_found);
  EXPECT_NE(status.message.find("/src/nowhere nor in "), std::string::npos) << status.message;
}

TEST(Companion, ASystemThatDoesNotSayWhereTheProgramIsIsNotAMissingCompanion) {
#ifdef SYS_readlink
  const std::initializer_list<long> calls{SYS_readlink, SYS_readlinkat};
#else
  const std::initializer_list<long> calls{SYS_readlinkat};
#endif
  test::expect_well_without(calls, ENOENT, [] {
    const base::Status status = find_companion("no-such-companion", "src/nowhere").status();
    if (status.code != base::Code::unsupported) return 1;
    return status.message.ends_with("/proc/self/exe: No such file or directory; is /proc mounted?") ? 0 : 2;
  });
}

}  // namespace
}  // namespace weir::platform
