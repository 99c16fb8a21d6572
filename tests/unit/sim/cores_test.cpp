// SPDX-License-Identifier: Apache-2.0

// Workers and threads that move blocks, on as few cores as there are.
#include "sim/cores.hpp"

#include <gtest/gtest.h>

#include "made_program.hpp"

namespace weir::sim {
namespace {

TEST(Cores, AThreadThatMovesBlocksHasACoreOfItsOwnOrHalfOfAWorkers) {
  EXPECT_EQ(share_cores(2, {1, 1}), (CoreShares{1, 1, false}));
  EXPECT_EQ(share_cores(2, {2, 0}), (CoreShares{1, 1, true}));
  EXPECT_EQ(share_cores(2, {2, 1}), (CoreShares{0.75, 0.5, true}));
  EXPECT_EQ(share_cores(2, {1, 2}), (CoreShares{0.5, 0.75, false}));  // one of both has a core of its own
  EXPECT_EQ(share_cores(1, {1, 3}), (CoreShares{0.25, 0.25, true}));
  EXPECT_EQ(share_cores(0, {64, 64, true}), (CoreShares{1, 1, false}));
}

TEST(Cores, AThreadThatMovesBlocksSharesACoreWithTheOneThatHasPagesCleared) {
  EXPECT_EQ(share_cores(3, {1, 1, true}), (CoreShares{1, 1, false}));
  EXPECT_EQ(share_cores(2, {1, 0, true}), (CoreShares{1, 1, true}));
  EXPECT_EQ(share_cores(2, {1, 1, true}), (CoreShares{1, 0.5, true}));  // of the core that the worker leaves
  EXPECT_EQ(share_cores(1, {1, 0, true}), (CoreShares{0.5, 0.5, true}));
  EXPECT_EQ(share_cores(1, {1, 2, true}), (CoreShares{0.25, 0.25, true}));
  const CoreShares crowded = share_cores(2, {2, 1, true});  // three on one of both cores
  EXPECT_DOUBLE_EQ(crowded.mover, 1.0 / 3);
  EXPECT_DOUBLE_EQ(crowded.worker, 2.0 / 3);
}

TEST(Cores, MoreWorkersThanCoresShareThem) {
  EXPECT_EQ(share_cores(2, {8, 0}), (CoreShares{0.25, 1, true}));
  const CoreShares three = share_cores(2, {4, 2});  // on each core
  EXPECT_DOUBLE_EQ(three.worker, 1.0 / 3);
  EXPECT_DOUBLE_EQ(three.mover, 1.0 / 3);
  const CoreShares four = share_cores(1, {3, 0, true});
  EXPECT_DOUBLE_EQ(four.worker, 0.25);
  EXPECT_DOUBLE_EQ(four.mover, 0.25);
}

constexpr std::uint64_t kTaskNs = 1'000'000;

// `of`: on as few cores, with eight workers.
std::uint64_t makespan_on(unsigned cores, const Program& of) {
  Target target = made_target(8, {kPage});
  target.cores = cores;
  return predict(of, target).makespan_ns;
}

TEST(Cores, IndependentTasksOfMoreWorkersThanCoresTakeTheTimeOfTheCores) {
  MadeProgram made;
  for (int i = 0; i < 16; ++i) made.add_task(kTaskNs, {});
  made.wait();
  const std::uint64_t ns = makespan_on(2, made.finish());
  EXPECT_GE(ns, 8 * kTaskNs);
  EXPECT_LT(ns, 9 * kTaskNs);
}

TEST(Cores, ATaskThatWasTracedWithPartOfACoreTakesAsMuchLessOfOne) {
  MadeProgram made;
  for (int i = 0; i < 8; ++i) made.add_task(4 * kTaskNs, {});
  made.wait();
  Program program = made.finish();
  for (ProgramTask& task : program.tasks) task.beside = task.busy_beside = 7;
  const std::uint64_t ns = makespan_on(2, program);
  EXPECT_GE(ns, 4 * kTaskNs);
  EXPECT_LT(ns, 5 * kTaskNs);
}

TEST(Cores, CodeOutsideOfTasksAndSpawningShareCoresToo) {
  MadeProgram made;
  made.compute(2 * kTaskNs);
  made.add_task(0, {}, 2 * kTaskNs);
  made.wait();
  Program program = made.finish();
  program.busy_beside = 3;
  const std::uint64_t ns = makespan_on(2, program);
  EXPECT_GE(ns, 2 * kTaskNs);
  EXPECT_LT(ns, 2 * kTaskNs + kTaskNs / 10);
}

// Four workers that go through memory, of which one core can use it at a time.
TEST(Cores, TasksThatShareACoreDoNotShareMemory) {
  MadeProgram made;
  const std::uint64_t bytes = 256 * kPage;
  for (std::uintptr_t i = 0; i < 4; ++i) {
    Item item = MadeProgram::object(1000 * i, Mode::in);
    item.region.row_bytes = bytes;
    made.add_task(bytes, {item});
  }
  made.wait();
  const Program& program = made.finish();
  const std::uint64_t ns = makespan_on(1, program);
  EXPECT_GE(ns, 4 * bytes);
  EXPECT_LT(ns, 4 * bytes + bytes / 2);
}

// A block leaves for another one while a task runs that needs neither: the copy takes twice as long on that task's
// core, and the task longer by the time that the copy had.
TEST(Cores, ACopyTakesHalfOfTheCoreOfTheOnlyWorker) {
  constexpr std::uint64_t kBytes = 1024 * kPage, kLong = 10 * kBytes;
  MadeProgram made;
  const std::uint32_t a = made.add_block(kBytes), b = made.add_block(kBytes);
  const Item after_first = MadeProgram::object(0, Mode::in);
  made.add_task(kPage, {MadeProgram::block(a, Mode::inout), MadeProgram::object(0, Mode::out)});
  made.add_task(kLong, {after_first});
  made.add_task(kPage, {MadeProgram::block(b, Mode::inout), after_first});
  made.wait();
  const Program& program = made.finish();
  Target target = made_target(1, {kBytes, 64 * kBytes});
  target.cores = 3;
  const Prediction spare = predict(program, target);
  target.cores = 1;
  const Prediction shared = predict(program, target);
  EXPECT_EQ(shared.bytes_moved(), spare.bytes_moved());
  EXPECT_EQ(spare.bytes_moved(), kBytes);
  const std::uint64_t copy = kBytes, clearing = kBytes / 4;  // from memory to memory; for the second block's home
  EXPECT_EQ(shared.makespan_ns - spare.makespan_ns, copy + clearing);
}

}  // namespace
}  // namespace weir::sim
