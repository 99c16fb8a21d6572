// SPDX-License-Identifier: Apache-2.0

// Threads of the library: their name, that signals are not for them, and what is said when there is none.
#include "platform/start_thread.hpp"

#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "denied_calls.hpp"

namespace weir::platform {
namespace {

TEST(LibraryThreads, HaveTheirName) {
  char name[16] = {};
  start_thread("weir test", [&] { prctl(PR_GET_NAME, name); }).join();
  EXPECT_STREQ(name, "weir test");
}

TEST(LibraryThreads, GetFaultsAndNoSignalsOfTheProgram) {
  sigset_t blocked{};
  start_thread("weir test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); }).join();
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGXFSZ}) EXPECT_EQ(sigismember(&blocked, signal), 1);
  EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
}

TEST(LibraryThreads, WhatCannotStartIsNamedWithWhatToDo) {
  if (!test::threads_are_limited()) GTEST_SKIP() << "only root can be held to a number of threads of a user of its own";
  const int end = test::ended_with([] {
    if (!test::may_start(0)) return test::kNotLimited;
    try {
      start_thread("weir test", [] {}).join();
    } catch (const std::system_error& error) {
      const std::string text = error.what();
      std::fprintf(stderr, "%s\n", text.c_str());
      return text.find("cannot start the thread \"weir test\"") == 0 && text.find("ulimit -u") != text.npos ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(end, 0);
}

TEST(LibraryThreads, WhatASandboxRefusesIsNotALimit) {
  test::expect_well_without({SYS_clone, SYS_clone3}, EPERM, [] {
    const auto thread = try_start_thread("weir test", [] {});
    if (thread) return 1;
    const std::string& text = thread.status().message;
    return text.find("seccomp") != text.npos && text.find("ulimit") == text.npos ? 0 : 2;
  });
}

}  // namespace
}  // namespace weir::platform
