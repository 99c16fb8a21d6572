// SPDX-License-Identifier: Apache-2.0

// When the Watch ends a program in which nothing can happen any more, and when it does not.
#include "ocr/report/watch.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "ocr/program/program.hpp"
#include "runtime/runtime_state.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace weir::ocr {
namespace {

Options one_worker() {
  Options options;
  options.workers = 1;
  options.bind = Bind::none;
  return options;
}

// A program without EDTs, whose first thread waits.
class WatchedProgram : public sched::Condition {
 public:
  WatchedProgram() { program.begin(runtime_, scheduler()); }

  bool done() noexcept override { return was_asked || is_reported; }
  bool prepare_to_sleep() noexcept override { return !done(); }

  // Until the Watch has asked whether the other ranks stand still, too, and has done what follows from that.
  void watch() {
    program.count_waiting(false, 1);
    {
      Watch watch(
          program,
          [this] {
            before_the_answer();
            was_asked = true;
            scheduler().first_worker().unpark();
            return true;
          },
          [this] { is_reported = true; });
      scheduler().first_worker().run_until(*this);
    }
    program.count_waiting(false, -1);
  }

  Program program;
  std::function<void()> before_the_answer = [] {};
  std::atomic<bool> was_asked{false}, is_reported{false};

 private:
  sched::Scheduler& scheduler() { return *weir::detail::RuntimeAccess::state(runtime_)->scheduler; }

  Runtime runtime_{one_worker()};
};

TEST(Watch, EndsAProgramInWhichNothingCanHappen) {
  WatchedProgram watched;
  watched.watch();
  EXPECT_TRUE(watched.is_reported);
  EXPECT_TRUE(watched.program.shutting_down());
  EXPECT_EQ(watched.program.exit_code(), 1);
}

TEST(Watch, LetsItBeWhenAThreadBeginsToUseOcrWhileOtherRanksAreAsked) {
  WatchedProgram watched;
  watched.before_the_answer = [&] { watched.program.note_guest(); };
  watched.watch();
  EXPECT_FALSE(watched.is_reported);
  EXPECT_FALSE(watched.program.shutting_down());
}

TEST(Watch, LetsItBeWhileEdtsWaitForBlocksThatACheckpointWrites) {
  WatchedProgram watched;
  watched.before_the_answer = [&] { watched.program.set_keeps_blocks(true); };
  watched.watch();
  EXPECT_FALSE(watched.is_reported);
  EXPECT_FALSE(watched.program.shutting_down());
}

}  // namespace
}  // namespace weir::ocr
