// SPDX-License-Identifier: Apache-2.0

// What a poll is told of the workers that look (weir/poll.hpp).
#include "weir/poll.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "weir/completion.hpp"
#include "weir/runtime.hpp"

namespace weir {
namespace {

// Completes a task at the third look.
class Looked final : public Poll {
 public:
  explicit Looked(bool counts) : counts_(counts) {}
  Completion& task() noexcept { return task_; }
  int looks() const noexcept { return looks_; }
  int ends() const noexcept { return ends_; }

  bool pending() const noexcept override { return true; }
  bool ask() noexcept override { return false; }
  bool look() noexcept override {
    if (++looks_ != 3) return false;
    task_.complete();
    return true;
  }
  void end_looking() noexcept override { ++ends_; }
  bool counts_lookers() const noexcept override { return counts_; }

 private:
  const bool counts_;
  Completion task_;
  int looks_ = 0, ends_ = 0;  // of one worker
};

void wait_for_look(Looked& poll) {
  Options options;
  options.workers = 1;
  Runtime runtime(options);
  begin_asking(poll);
  runtime.spawn([&] { poll.task() = end_later(); });
  runtime.wait();
  end_asking(poll);
  EXPECT_GE(poll.looks(), 3);
}

TEST(Polls, AWorkerThatHasLookedSaysWhenItLooksNoMore) {
  Looked poll(true);
  wait_for_look(poll);
  EXPECT_GE(poll.ends(), 1);
}

// Found by a sanitizer, where one of those runtimes is looked at.
TEST(Polls, MayEndWhileRuntimesOfOtherThreadsEnd) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      Looked poll(false);
      end_asking(poll);
    }
  });
  Options options;
  options.workers = 1;
  for (int i = 0; i < 100; ++i) Runtime(options).wait();
  stop = true;
  other.join();
}

TEST(Polls, OneThatDoesNotCountThemIsNotTold) {
  Looked poll(false);
  wait_for_look(poll);
  EXPECT_EQ(poll.ends(), 0);
}

}  // namespace
}  // namespace weir
