// SPDX-License-Identifier: Apache-2.0

// What a program's blocks cost at least; of sequences of accesses: tests/unit/bench/bound_test.cpp.
#include "sim/bound.hpp"

#include <gtest/gtest.h>

#include "made_program.hpp"

namespace weir::sim {
namespace {

// The program makes three blocks, and its tasks go over all of them so often.
Program program_of_passes(int passes, Mode mode) {
  MadeProgram made;
  const std::uint32_t blocks[] = {made.add_block(kPage), made.add_block(kPage), made.add_block(kPage)};
  for (int pass = 0; pass < passes; ++pass)
    for (const std::uint32_t block : blocks) made.add_task(1, {MadeProgram::block(block, mode)});
  return made.finish();
}

// Each block fits once.
Movement least_of_passes(int passes, bool adopted) {
  Program program = program_of_passes(passes, Mode::inout);
  for (ProgramBlock& block : program.blocks) block.adopted = adopted;
  return least_movement(access_trace_of(program), kPage);
}

TEST(BlocksOfAProgram, AreNotFetchedBeforeATaskHasWrittenThem) {
  EXPECT_EQ(least_of_passes(1, false).fetched, 0u);
  EXPECT_EQ(least_of_passes(1, false).written_back, 2 * kPage);
  EXPECT_EQ(least_of_passes(2, false).fetched, 3 * kPage);
}

TEST(BlocksOfAProgram, AreFetchedAtOnceWhenTheyAreTheProgramsOwnMemory) {
  EXPECT_EQ(least_of_passes(1, true).fetched, 3 * kPage);
}

TEST(BlocksOfAProgram, HaveContentsAfterTheirFirstUseWhereAnEdtThatMakesThemWritesThem) {
  Program program = program_of_passes(2, Mode::in);
  EXPECT_EQ(least_movement(access_trace_of(program), kPage).fetched, 0u);
  program.edts = true;
  const Movement movement = least_movement(access_trace_of(program), kPage);
  EXPECT_EQ(movement.fetched, 3 * kPage);
  EXPECT_EQ(movement.written_back, 0u);
}

TEST(BlocksOfAProgram, HaveContentsForATaskThatNamesThemTwice) {
  MadeProgram made;
  const std::uint32_t block = made.add_block(kPage);
  made.add_task(1, {MadeProgram::block(block, Mode::out), MadeProgram::block(block, Mode::in)});
  const AccessTrace trace = access_trace_of(made.finish());
  ASSERT_EQ(trace.accesses.size(), 1u);
  EXPECT_FALSE(trace.accesses[0].reads);
  EXPECT_TRUE(trace.accesses[0].writes);
}

}  // namespace
}  // namespace weir::sim
