// SPDX-License-Identifier: Apache-2.0

// What a runtime says of whether it will ever do something by itself.
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "runtime/watch.hpp"
#include "weir/completion.hpp"
#include "weir/runtime.hpp"

namespace weir::runtime {
namespace {

Options two_workers() {
  Options options;
  options.workers = 2;
  return options;
}

TEST(Quiescence, IsNotWhileTheProgramIsElsewhereOrATaskRuns) {
  Runtime runtime(two_workers());
  EXPECT_FALSE(quiescence_of(runtime).is_quiescent);
  bool in_task = true;
  runtime.spawn([&] { in_task = quiescence_of(runtime).is_quiescent; });
  runtime.wait();
  EXPECT_FALSE(in_task);
}

TEST(Quiescence, IsWhileTheProgramWaitsForATaskThatEndsLaterWhichIsCounted) {
  Runtime runtime(two_workers());
  std::thread elsewhere;
  Quiescence before, seen;
  runtime.spawn([&] {
    before = quiescence_of(runtime);
    elsewhere = std::thread([&, completion = end_later()]() mutable {
      do {
        seen = quiescence_of(runtime);
        std::this_thread::yield();
      } while (!seen.is_quiescent);
      completion.complete();
    });
  });
  runtime.wait();
  elsewhere.join();
  EXPECT_EQ(before.late_ends, 0u);
  EXPECT_EQ(seen.late_ends, 1u);
  const Quiescence after = quiescence_of(runtime);
  EXPECT_EQ(after.late_ends, 0u);
  EXPECT_GT(after.events, seen.events);
}

}  // namespace
}  // namespace weir::runtime
