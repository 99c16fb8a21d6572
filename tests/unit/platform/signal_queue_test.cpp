// SPDX-License-Identifier: Apache-2.0

#include "platform/signal_queue.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "denied_calls.hpp"
#include "platform/process.hpp"

namespace weir::platform {
namespace {

bool is_readable(const SignalQueue& queue) {
  pollfd polled = {queue.descriptor(), POLLIN, 0};
  return poll(&polled, 1, 0) == 1;
}

bool is_blocked(int number) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, number) == 1;
}

TEST(SignalQueue, GivesSignalsInsteadOfTheirActions) {
  const auto made = SignalQueue::make({SIGUSR1, SIGTERM});
  ASSERT_TRUE(made);
  SignalQueue& queue = **made;
  EXPECT_FALSE(is_readable(queue));
  EXPECT_FALSE(queue.next());
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(is_readable(queue));
  const auto signal = queue.next();
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->number, SIGTERM);
  EXPECT_FALSE(signal->by_terminal);
  EXPECT_FALSE(queue.next());
}

TEST(SignalQueue, GivesBackTheMaskAndForgetsWhatWasNotTaken) {
  {
    const auto queue = SignalQueue::make({SIGUSR1});
    ASSERT_TRUE(queue);
    EXPECT_TRUE(is_blocked(SIGUSR1));
    kill(getpid(), SIGUSR1);
  }
  EXPECT_FALSE(is_blocked(SIGUSR1));
}

TEST(SignalQueue, GivesTheEndOfAChildAlsoWhereThatWasIgnored) {
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignored, &before);
  {
    const auto made = SignalQueue::make({SIGCHLD});
    ASSERT_TRUE(made);
    SignalQueue& queue = **made;
    auto child = Process::fork([] { return 3; });
    ASSERT_TRUE(child);
    pollfd polled = {queue.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&polled, 1, -1), 1);
    EXPECT_EQ(queue.next()->number, SIGCHLD);
    EXPECT_EQ(child->wait().status, 3);
  }
  struct sigaction after {};
  sigaction(SIGCHLD, &before, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
}

TEST(SignalQueue, WhatTheSystemRefusesIsSaidAndChangesNothing) {
  test::expect_well_without({SYS_signalfd4}, EPERM, [] {
    const auto queue = SignalQueue::make({SIGUSR1});
    const bool says_so =
        !queue && queue.status().message.starts_with("signals cannot be received: Operation not permitted");
    return says_so && !is_blocked(SIGUSR1) ? 0 : 1;
  });
}

}  // namespace
}  // namespace weir::platform
