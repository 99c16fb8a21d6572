// SPDX-License-Identifier: Apache-2.0

// The thread that has pages cleared ahead, on as few cores as there are. A byte takes it a quarter of a nanosecond.
#include "sim/preparer.hpp"

#include <gtest/gtest.h>

#include "made_program.hpp"

namespace weir::sim {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{4} << 20;  // a piece
constexpr std::uint64_t kLong = 20 * kBlock;              // ns

// How much longer the program takes when the one worker has to share its core.
std::uint64_t lost_by_sharing(const Program& program, Target target) {
  target.cores = 0;
  const std::uint64_t spare = predict(program, target).makespan_ns;
  target.cores = 1;
  return predict(program, target).makespan_ns - spare;
}

// The second block does not fit: both will want a home in the second tier, and its pages are cleared while a task runs
// that moves nothing.
TEST(Preparer, TheOnlyWorkerLosesTheTimeInWhichPagesAreClearedForHomes) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kBlock);
  made.add_block(kBlock);
  made.add_task(kLong, {MadeProgram::block(a, Mode::inout)});
  made.wait();
  EXPECT_EQ(lost_by_sharing(made.finish(), made_target(1, {kBlock, 64 * kBlock})), 2 * kBlock / 4);
}

TEST(Preparer, NothingIsClearedWhileAllBlocksAreInTheFirstTier) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kBlock);
  made.add_block(kBlock);
  made.add_task(kLong, {MadeProgram::block(a, Mode::inout)});
  made.wait();
  EXPECT_EQ(lost_by_sharing(made.finish(), made_target(1, {64 * kBlock, 64 * kBlock})), 0u);
}

// The first block leaves for the second at once, and takes the pages that it needs itself: of the two pieces that were
// asked for the second is left.
TEST(Preparer, WhatATierHasGrownOverMeanwhileIsNotCleared) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kBlock), b = made.add_block(kBlock);
  made.add_task(kPage, {MadeProgram::block(a, Mode::out)});
  made.add_task(kLong, {});
  made.add_task(kPage, {MadeProgram::block(b, Mode::out)});
  made.wait();
  const Program& program = made.finish();
  const Target target = made_target(1, {kBlock, 64 * kBlock});
  ASSERT_EQ(predict(program, target).bytes_moved(), kBlock);
  const std::uint64_t copy = kBlock;  // ns, within one memory
  EXPECT_EQ(lost_by_sharing(program, target), copy + kBlock / 4);
}

}  // namespace
}  // namespace weir::sim
