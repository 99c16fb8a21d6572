// SPDX-License-Identifier: Apache-2.0

#include "platform/child_end.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>

#include "denied_calls.hpp"
#include "platform/process.hpp"

namespace weir::platform {
namespace {

TEST(ChildEnd, IsSeenWhileTheNumberIsStillTheChilds) {
  auto child = Process::start({{"/bin/sh", "-c", "exit 7"}});
  ASSERT_TRUE(child);
  wait_for_end(child->pid());
  EXPECT_EQ(::kill(child->pid(), SIGTERM), 0) << "it reaches what has ended, and no other process";
  EXPECT_TRUE(has_ended(child->pid()));
  EXPECT_EQ(child->wait().status, 7);
  EXPECT_TRUE(has_ended(child->pid())) << "and was waited for";
}

TEST(ChildEnd, IsNotThereWhileTheChildRuns) {
  auto child = Process::start({{"sleep", "1000"}});
  ASSERT_TRUE(child);
  EXPECT_FALSE(has_ended(child->pid()));
  child->kill();
  wait_for_end(child->pid());
  EXPECT_EQ(child->wait().signal, SIGKILL);
}

TEST(ChildEnd, IsSeenWhereASandboxRefusesWaitid) {
  for (const int error : {ENOSYS, EPERM}) {
    test::expect_well_without({SYS_waitid}, error, [] {
      auto child = Process::start({{"sleep", "1000"}});
      if (!child || has_ended(child->pid())) return 1;
      child->kill();
      wait_for_end(child->pid());
      if (!has_ended(child->pid())) return 2;
      return child->wait().signal == SIGKILL && has_ended(child->pid()) ? 0 : 3;
    });
  }
}

}  // namespace
}  // namespace weir::platform
