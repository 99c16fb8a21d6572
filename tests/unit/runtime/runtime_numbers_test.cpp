// SPDX-License-Identifier: Apache-2.0

// Runtimes have numbers, which those that are made later get once they are at the last one: what an ended runtime has
// left behind is not of the one that has its number.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "one_worker.hpp"
#include "runtime/held_task.hpp"
#include "runtime/runtime_state.hpp"
#include "weir/weir.hpp"

namespace weir::runtime {
namespace {

std::uint16_t number_of(const Runtime& runtime) { return detail::RuntimeAccess::state(runtime)->number; }

// The next runtime that is made has that number; no runtime has it, or the one before it.
void go_round_to(std::uint16_t number) {
  State state;
  const int before = number == 1 ? 0xffff : number - 1;
  do {
    enrol(state);
    strike_off(state);
  } while (state.number != before);
}

TEST(RuntimeNumbers, AHandleOfAnEndedRuntimeIsFinishedForTheOneThatHasItsNumber) {
  Handle<> kept;
  std::uint16_t number = 0;
  {
    Runtime runtime(one_worker());
    kept = runtime.spawn([] {});
    runtime.wait();
    number = number_of(runtime);
  }
  for (int round = 0; round < 2; ++round) {
    go_round_to(number);
    Runtime runtime(one_worker());
    ASSERT_EQ(number_of(runtime), number);
    const Handle<> fresh = runtime.spawn(kHeld, [] {});  // perhaps in the same memory
    EXPECT_TRUE(kept.finished());
    EXPECT_FALSE(fresh.finished());
    EXPECT_GT(detail::HandleAccess::ref(fresh).generation, detail::HandleAccess::ref(kept).generation);
    EXPECT_THROW(runtime.spawn(after(kept), [] {}), Error);
    HeldTask(fresh).release();
    runtime.wait();
    EXPECT_TRUE(fresh.finished());
    kept = fresh;
  }
}

TEST(RuntimeNumbersDeathTest, WaitingForAHandleOfAnEndedRuntimeEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a child of fork() no runtime of the parent is used
  auto runtime = std::make_unique<Runtime>(one_worker());
  const Handle<> kept = runtime->spawn([] {});
  const std::uint16_t number = number_of(*runtime);
  runtime.reset();
  go_round_to(number);
  Runtime another(one_worker());
  ASSERT_EQ(number_of(another), number);
  EXPECT_DEATH(another.wait(kept), "a handle is used after its runtime was destroyed");
}

// A runtime names the array and ends, and another gets its number. On one worker a task runs while the thread waits.
void expect_that_it_forgets(std::unique_ptr<Watched<int>> watched) {
  std::uint16_t number = 0;
  {
    Runtime runtime(one_worker());
    runtime.spawn(inout(watched->tile(0, 5, 0, 5)), [](auto) {});
    runtime.wait();
    number = number_of(runtime);
  }
  go_round_to(number);
  Runtime runtime(one_worker());
  ASSERT_EQ(number_of(runtime), number);
  bool has_run = false;
  runtime.spawn([&] { has_run = true; });
  watched.reset();
  EXPECT_FALSE(has_run) << "a task that has not named the array was waited for";
  runtime.wait();
}

TEST(RuntimeNumbers, AWatchedArrayForgetsARuntimeThatHasEnded) {
  std::vector<int> data(100);
  expect_that_it_forgets(std::make_unique<Watched<int>>(data.data(), 10, 10, 10, 5, 5));
}

TEST(RuntimeNumbers, AWatchedArrayOfSeveralRuntimesForgetsThoseThatHaveEnded) {
  std::vector<int> data(100);
  auto watched = std::make_unique<Watched<int>>(data.data(), 10, 10, 10, 5, 5);
  Runtime other(one_worker());
  other.spawn(inout(watched->tile(0, 5, 0, 5)), [](auto) {});
  other.wait();
  Runtime(one_worker()).wait();
  expect_that_it_forgets(std::move(watched));
}

}  // namespace
}  // namespace weir::runtime
