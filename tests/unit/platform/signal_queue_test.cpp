// SPDX-License-Identifier: Apache-2.0

#include "platform/signal_queue.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

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
  SignalQueue queue({SIGUSR1, SIGTERM});
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
    const SignalQueue queue({SIGUSR1});
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
    SignalQueue queue({SIGCHLD});
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

}  // namespace
}  // namespace weir::platform
