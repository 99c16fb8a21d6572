// SPDX-License-Identifier: Apache-2.0

// Cases whose times are computed by hand.
#include "sim/simulator.hpp"

#include <gtest/gtest.h>

#include <random>

#include "made_program.hpp"

namespace weir::sim {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kLookNs = 50'000;  // what stealing and waking may add, at most

TEST(Simulator, AChainTakesTheSumOfItsTasksHoweverManyWorkersThereAre) {
  MadeProgram made;
  for (int i = 0; i < 10; ++i) made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  made.wait();
  const Program& program = made.finish();
  EXPECT_EQ(predict(program, made_target(1, {kPage})).makespan_ns, 10 * kMs);
  const Prediction four = predict(program, made_target(4, {kPage}));
  EXPECT_GE(four.makespan_ns, 10 * kMs);
  EXPECT_LT(four.makespan_ns, 10 * kMs + 10 * kLookNs);
  EXPECT_EQ(four.tasks, 10u);
}

TEST(Simulator, IndependentTasksOfEqualLengthAreDividedAmongTheWorkers) {
  MadeProgram made;
  for (std::uintptr_t i = 0; i < 16; ++i) made.add_task(kMs, {MadeProgram::object(i, Mode::inout)});
  made.wait();
  const Program& program = made.finish();
  EXPECT_EQ(predict(program, made_target(1, {kPage})).makespan_ns, 16 * kMs);
  const Prediction four = predict(program, made_target(4, {kPage}));
  EXPECT_GE(four.makespan_ns, 4 * kMs);
  EXPECT_LT(four.makespan_ns, 5 * kMs);
  EXPECT_EQ(four.workers.size(), 4u);
}

TEST(Simulator, AForkJoinTakesItsLongestBranchBetweenBothEnds) {
  MadeProgram made;
  const auto all = [](Mode mode) {
    std::vector<Item> items;
    for (std::uintptr_t i = 0; i < 4; ++i) items.push_back(MadeProgram::object(i, mode));
    return items;
  };
  made.add_task(kMs, all(Mode::out));
  for (std::uintptr_t i = 0; i < 4; ++i) made.add_task((i + 1) * kMs, {MadeProgram::object(i, Mode::inout)});
  made.add_task(kMs, all(Mode::in));
  made.wait();
  const Program& program = made.finish();
  EXPECT_EQ(predict(program, made_target(1, {kPage})).makespan_ns, 12 * kMs);
  const Prediction four = predict(program, made_target(4, {kPage}));
  EXPECT_GE(four.makespan_ns, 6 * kMs);
  EXPECT_LT(four.makespan_ns, 6 * kMs + 4 * kLookNs);
}

TEST(Simulator, SpawningTakesTheThreadsTime) {
  MadeProgram made;
  made.add_task(1000, {}, 300);
  made.add_task(1000, {}, 300);
  made.wait();
  EXPECT_EQ(predict(made.finish(), made_target(1, {kPage})).makespan_ns, 2600u);
}

// It comes at 5 ms, computes, and runs the task that it waits for.
TEST(Simulator, AGuestComesWhenTheFirstThreadHasDoneWhatItHadDoneThen) {
  MadeProgram made;
  made.compute(5 * kMs);
  made.begin_guest();
  made.compute(kMs);
  made.add_task(kMs, {});
  made.wait();
  made.end_guest();
  EXPECT_EQ(predict(made.finish(), made_target(1, {kPage})).makespan_ns, 7 * kMs);
}

TEST(Simulator, AGuestThatHasGoneRunsNoTasks) {
  MadeProgram made;
  made.begin_guest();
  made.add_task(kMs, {});
  made.wait();
  made.end_guest();
  made.compute(10 * kMs);
  for (int i = 0; i < 4; ++i) made.add_task(kMs, {});
  made.wait();
  const Prediction prediction = predict(made.finish(), made_target(1, {kPage}));
  EXPECT_EQ(prediction.makespan_ns, 14 * kMs);
  ASSERT_EQ(prediction.workers.size(), 2u);
  EXPECT_EQ(prediction.workers[1].running, kMs);
  EXPECT_EQ(prediction.workers[1].idle, 13 * kMs);
}

// What it spawns and does not wait for is run by the worker.
TEST(Simulator, TasksOfAGuestThatHasGoneAreRunByOthers) {
  MadeProgram made;
  made.begin_guest();
  for (int i = 0; i < 3; ++i) made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  made.end_guest();
  made.wait();
  const Prediction prediction = predict(made.finish(), made_target(1, {kPage}));
  EXPECT_GE(prediction.makespan_ns, 3 * kMs);
  EXPECT_LT(prediction.makespan_ns, 3 * kMs + kLookNs);
  EXPECT_EQ(prediction.workers[0].tasks, 3u);
}

// The one that it ends for runs what comes after it, which no guest does that has not come.
TEST(Simulator, ATaskThatEndsLateIsNotFollowedByOneOfAGuestThatIsNotThere) {
  MadeProgram made;
  const auto first = made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  for (std::uintptr_t i = 1; i < 3; ++i) made.add_task(20 * kMs, {MadeProgram::object(i, Mode::inout)});
  made.wait();
  made.begin_guest();
  made.add_task(kMs, {});
  made.wait();
  made.end_guest();
  Program program = made.finish();
  program.tasks[first].late_ns = 5 * kMs;
  const Prediction prediction = predict(program, made_target(2, {kPage}));
  EXPECT_EQ(prediction.tasks, 5u);
  EXPECT_GE(prediction.makespan_ns, 21 * kMs);
}

// Some of these guests go when a task of another worker has lain for too short to be stolen.
TEST(Simulator, ProgramsWithAGuestEnd) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
    MadeProgram made;
    std::uint64_t tasks = 0;
    const auto spawn_some = [&](unsigned count) {
      for (; count > 0; --count, ++tasks) {
        const unsigned length = below(2) == 0 ? 200'000 : 3'000;
        const std::uint64_t runs = below(length);
        made.add_task(runs, {MadeProgram::object(below(12), Mode::inout)}, below(500));
      }
    };
    const int workers = 2 + static_cast<int>(below(3));
    spawn_some(below(8));
    made.compute(below(20'000));
    made.begin_guest();
    made.compute(below(20'000));
    spawn_some(1 + below(4));
    if (below(2) == 0) made.wait();
    made.compute(below(20'000));
    made.end_guest();
    spawn_some(below(10));
    made.compute(below(50'000));
    spawn_some(below(10));
    made.wait();
    EXPECT_EQ(predict(made.finish(), made_target(workers, {kPage})).tasks, tasks) << "seed " << seed;
  }
}

TEST(Simulator, ATaskThatComesAfterAnotherWaitsForItWithoutAFootprint) {
  MadeProgram made;
  made.add_task(kMs, {});
  made.add_task(kMs, {});
  made.wait();
  Program program = made.finish();
  program.after.push_back(0);
  program.tasks[1].after = {0, 1};
  EXPECT_GE(predict(program, made_target(2, {kPage})).makespan_ns, 2 * kMs);
}

TEST(Simulator, WhatComesAfterATaskThatEndsLaterWaitsForWhatItHasBegunElsewhere) {
  MadeProgram made;
  made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  made.add_task(kMs, {MadeProgram::object(0, Mode::inout)});
  for (std::uintptr_t i = 1; i < 4; ++i) made.add_task(kMs, {MadeProgram::object(i, Mode::inout)});
  made.wait();
  Program program = made.finish();
  program.tasks[0].late_ns = 10 * kMs;
  for (const int workers : {1, 2}) {
    const Prediction predicted = predict(program, made_target(workers, {kPage}));
    EXPECT_GE(predicted.makespan_ns, 12 * kMs);
    EXPECT_LT(predicted.makespan_ns, 13 * kMs) << "others run during that time";
    EXPECT_EQ(predicted.tasks, 5u);
  }
}

TEST(Simulator, CommutativeTasksExcludeEachOther) {
  MadeProgram made;
  for (int i = 0; i < 4; ++i) made.add_task(kMs, {MadeProgram::object(0, Mode::commutative)});
  made.wait();
  const Prediction two = predict(made.finish(), made_target(2, {kPage}));
  EXPECT_GE(two.makespan_ns, 4 * kMs);
  EXPECT_LT(two.makespan_ns, 4 * kMs + 8 * kLookNs);
}

TEST(Simulator, MembersOfAReductionRunTogetherAndTheNextReaderAfterAllOfThem) {
  MadeProgram made;
  for (int i = 0; i < 2; ++i) made.add_task(kMs, {MadeProgram::object(0, Mode::reduce)});
  made.add_task(kMs, {MadeProgram::object(0, Mode::in)});
  made.wait();
  const Prediction two = predict(made.finish(), made_target(2, {kPage}));
  EXPECT_GE(two.makespan_ns, 2 * kMs);
  EXPECT_LT(two.makespan_ns, 2 * kMs + 4 * kLookNs);
}

// ---- Two tiers ----

// Three blocks of a page, two of which are in fast memory from the start. The third is fetched: nothing has been
// written to it, so that there is nothing to copy but what leaves.
TEST(Simulator, WhatFitsInTheFastTierDoesNotMove) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kPage), b = made.add_block(kPage);
  made.add_task(kMs, {MadeProgram::block(a, Mode::inout)});
  made.add_task(kMs, {MadeProgram::block(b, Mode::inout)});
  made.wait();
  const Prediction p = predict(made.finish(), made_target(1, {2 * kPage, 64 * kPage}));
  EXPECT_EQ(p.makespan_ns, 2 * kMs);
  EXPECT_EQ(p.bytes_moved(), 0u);
}

// One block fits, and the tasks follow each other. Both blocks are written anew, so that nothing is fetched for that: a
// goes down for b, b goes down for a, and a comes up again. Nothing overlaps, as there is no room for it.
TEST(Simulator, AFullFastTierCostsTwoWriteBacksAndOneFetchWithTheirTime) {
  MadeProgram made;
  const std::uint64_t bytes = 256 * kPage;
  const std::uint32_t a = made.add_block(bytes), b = made.add_block(bytes);
  const Item order = MadeProgram::object(0, Mode::inout);
  made.add_task(kMs, {MadeProgram::block(a, Mode::out), order});
  made.add_task(kMs, {MadeProgram::block(b, Mode::out), order});
  made.add_task(kMs, {MadeProgram::block(a, Mode::in), order});
  made.wait();
  const Program& program = made.finish();
  for (const Strategy strategy : {Strategy::inline_, Strategy::single, Strategy::multi, Strategy::ahead}) {
    const Prediction p = predict(program, made_target(1, {bytes, 64 * bytes}), strategy);
    EXPECT_EQ(p.moved[0][1], 2 * bytes) << static_cast<int>(strategy);
    EXPECT_EQ(p.moved[1][0], bytes) << static_cast<int>(strategy);
    EXPECT_GE(p.makespan_ns, 3 * kMs + 3 * bytes) << static_cast<int>(strategy);
    EXPECT_LT(p.makespan_ns, 3 * kMs + 3 * bytes + 8 * kLookNs) << static_cast<int>(strategy);
  }
}

// Four blocks are used in turn, and the fast tier has room for them when the fifth, which no task uses, has gone down
// once. It stays where its maker wanted it for ever: then one of the four has to go in each turn.
TEST(Simulator, ABlockThatIsToStayDoesNotLeave) {
  const auto moved = [](bool stays) {
    MadeProgram made;
    made.add_block(kPage, stays);
    std::vector<std::uint32_t> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(made.add_block(kPage));
    for (std::size_t i = 0; i < 12; ++i)
      made.add_task(kMs, {MadeProgram::block(blocks[i % 4], Mode::inout), MadeProgram::object(0, Mode::inout)});
    made.wait();
    return predict(made.finish(), made_target(1, {4 * kPage, 64 * kPage})).bytes_moved();
  };
  EXPECT_EQ(moved(false), kPage);
  EXPECT_GT(moved(true), 4 * kPage);
}

// One block fits. The last task reads the second one's, and waits for both: run in the order of spawning, only the
// first block goes down. The second before the first, it would go down, too, and come up again.
TEST(Simulator, AThreadOutsideOfTasksRunsItsTasksInTheOrderOfSpawning) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kPage), b = made.add_block(kPage);
  made.add_task(kMs, {MadeProgram::block(a, Mode::out), MadeProgram::object(0, Mode::out)});
  made.add_task(kMs, {MadeProgram::block(b, Mode::out)});
  made.add_task(kMs, {MadeProgram::block(b, Mode::in), MadeProgram::object(0, Mode::in)});
  made.wait();
  const Prediction p = predict(made.finish(), made_target(1, {kPage, 64 * kPage}), Strategy::inline_);
  EXPECT_EQ(p.bytes_moved(), kPage);
}

TEST(Simulator, WhoeverMakesATierGrowWaitsForItsPages) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kPage);
  made.add_task(kMs, {MadeProgram::block(a, Mode::inout)});
  made.wait();
  const std::uint64_t budget = 256 * kPage;
  Target target = made_target(1, {budget, 64 * budget});
  target.page_times = {PageTimes(2), PageTimes()};
  EXPECT_EQ(predict(made.finish(), target).makespan_ns, kMs + 2 * budget);  // it grows by all that it may have
}

// Two steps of 2 MiB: the first took 1 ms where the program was traced, the second none.
TEST(Simulator, ATierGetsItsPagesWhenTheTracedRunGotThem) {
  constexpr std::uint64_t kStep = 2 << 20;
  const auto makespan = [](std::uint64_t block) {
    MadeProgram made;
    made.add_task(kMs, {MadeProgram::block(made.add_block(block), Mode::inout)});
    made.wait();
    Target target = made_target(1, {2 * kStep, 64 * kStep});
    target.page_times.resize(2);
    target.page_times[0].add(kStep, kMs);
    target.page_times[0].add(kStep, 0);
    return predict(made.finish(), target).makespan_ns;
  };
  EXPECT_EQ(makespan(kStep), 2 * kMs);
  EXPECT_EQ(makespan(2 * kStep), 2 * kMs);  // on average it would be 1.5 and 2
}

// The first nine write a block each, of which the fast tier holds eight: room for the ninth is made when two have
// ended, and the second's block goes, since the first's is known to be used again. The tenth computes for 10 ms; at its
// end the last may run, which uses the block that has gone, and at its beginning it says so or not. Another one ends
// beside it, which is when the data layer looks ahead.
MadeProgram made_of_edts(bool says_so_early) {
  MadeProgram made;
  std::vector<std::uint32_t> blocks;
  for (int i = 0; i < 9; ++i) blocks.push_back(made.add_block(256 * kPage));
  constexpr std::uint32_t kTenth = 9, kBeside = 10, kLast = 11;
  std::vector<std::vector<Action>> actions;
  for (std::uint32_t task = 0; task < 9; ++task) {
    made.add_task(kMs, {MadeProgram::block(blocks[task], Mode::out)});
    actions.push_back({{Act::compute, 0, kMs}, {Act::satisfy, task + 1, 0}});
  }
  actions.back().push_back({Act::satisfy, kBeside, 0});
  made.add_task(10 * kMs, {MadeProgram::block(blocks[8], Mode::in)});
  const std::uint32_t named = says_so_early ? blocks[1] : Action::kNoBlock;
  actions.push_back({{Act::satisfy, kLast, 0, named}, {Act::compute, 0, 10 * kMs}, {Act::satisfy, kLast, 0}});
  made.add_task(kMs, {MadeProgram::block(blocks[0], Mode::in)});
  actions.push_back({{Act::compute, 0, kMs}});
  Item by_slot = MadeProgram::block(blocks[1], Mode::in);
  by_slot.by_slot = true;
  made.add_task(kMs, {by_slot});
  actions.push_back({{Act::compute, 0, kMs}});
  EXPECT_EQ(actions.size(), kTenth + 3);
  made.set_edts(actions);
  return made;
}

TEST(Simulator, ABlockComesWhenASlotIsSatisfiedWithItNotWhenTheEdtIsReady) {
  MadeProgram early = made_of_edts(true), late = made_of_edts(false);
  const Target target = made_target(2, {8 * 256 * kPage, 64 * 256 * kPage});
  const std::uint64_t fetch = 256 * kPage;
  EXPECT_LE(predict(early.finish(), target).makespan_ns + fetch, predict(late.finish(), target).makespan_ns);
}

// Blocks of a page. Four are used once and live in the second tier, in a chain one of them in the third. Three that
// live there are used again and again: the first tier has room for two of them, and the second, in a chain, for one.
TEST(Simulator, AChainOfTiersMovesLessFromAndToTheLast) {
  MadeProgram made;
  std::vector<std::uint32_t> blocks;
  for (int i = 0; i < 7; ++i) blocks.push_back(made.add_block(kPage));
  const auto use = [&](std::size_t i) {
    made.add_task(kMs, {MadeProgram::block(blocks[i], Mode::inout), MadeProgram::object(0, Mode::inout)});
  };
  for (std::size_t i = 0; i < 4; ++i) use(i);
  for (int round = 0; round < 10; ++round)
    for (std::size_t i = 4; i < 7; ++i) use(i);
  made.wait();
  const Program& program = made.finish();
  const Target target = made_target(1, {2 * kPage, 4 * kPage, 64 * kPage});
  const auto to_last = [&](Chains chains) {
    const Prediction p = predict(program, target, Strategy::ahead, Evict::next_use, chains);
    return p.moved[0][2] + p.moved[1][2];
  };
  EXPECT_LT(to_last(Chains::on), to_last(Chains::off));
}

TEST(Simulator, StrategyOffLeavesBlocksWhereTheyWereMade) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(kPage), b = made.add_block(kPage);
  for (int i = 0; i < 3; ++i) {
    made.add_task(kMs, {MadeProgram::block(a, Mode::inout)});
    made.add_task(kMs, {MadeProgram::block(b, Mode::inout)});
  }
  made.wait();
  const Prediction p = predict(made.finish(), made_target(1, {kPage, 64 * kPage}), Strategy::off, Evict::refcount);
  EXPECT_EQ(p.bytes_moved(), 0u);
}

// Slow memory is four times slower: of a task that does nothing but read and write its block, all of the time is.
TEST(Simulator, SlowMemoryMakesTheMemoryPartOfATaskLonger) {
  MadeProgram made;
  const std::uint64_t bytes = 256 * kPage;
  const std::uint32_t a = made.add_block(bytes);
  made.add_task(2 * bytes, {MadeProgram::block(a, Mode::inout)});
  made.wait();
  const Program& program = made.finish();
  const Target source = made_target(1, {bytes});
  Target target = made_target(1, {bytes});
  target.costs = machine::CostModel({{{0.25, 0.25, 0}}});
  Options options;
  options.workers = 1;
  auto p = Simulator(program, target, source, options).run();
  ASSERT_TRUE(p) << p.status().message;
  EXPECT_EQ(p->makespan_ns, 8 * bytes);
}

// Each read its block alone when it was traced. Together both take twice as long, until the short one has ended.
TEST(Simulator, ATaskThatSharesMemoryGoesOnFasterWhenTheOtherHasEnded) {
  MadeProgram made;
  const std::uint64_t bytes = 1024 * kPage;
  const std::uint32_t a = made.add_block(bytes), b = made.add_block(bytes / 2);
  made.add_task(bytes, {MadeProgram::block(a, Mode::in)});
  made.add_task(bytes / 2, {MadeProgram::block(b, Mode::in)});
  made.wait();
  const Prediction p = predict(made.finish(), made_target(2, {2 * bytes}));
  EXPECT_GE(p.makespan_ns, bytes * 3 / 2);
  EXPECT_LT(p.makespan_ns, bytes * 3 / 2 + 2 * kLookNs);
}

TEST(Simulator, ABlockWithoutAPlaceIsAnErrorThatNamesTiersAndRemedy) {
  MadeProgram made;
  made.add_block(64 * kPage);
  made.wait();
  const Program& program = made.finish();
  const Target target = made_target(1, {kPage});
  Options options;
  options.workers = 1;
  const auto p = Simulator(program, target, target, options).run();
  ASSERT_FALSE(p);
  EXPECT_EQ(p.status().code, base::Code::no_space);
  EXPECT_NE(p.status().message.find("--tiers"), std::string::npos) << p.status().message;
}

TEST(Simulator, EqualInputGivesAnEqualPrediction) {
  MadeProgram made;
  std::vector<std::uint32_t> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(made.add_block(16 * kPage));
  for (std::uint32_t i = 0; i < 400; ++i)
    made.add_task(1000 + 37 * (i % 11),
                  {MadeProgram::block(blocks[i % 8], Mode::inout), MadeProgram::block(blocks[i * 5 % 8], Mode::in)});
  made.wait();
  const Program& program = made.finish();
  const Target target = made_target(3, {64 * kPage, 512 * kPage});
  const Prediction one = predict(program, target), other = predict(program, target);
  EXPECT_EQ(one.makespan_ns, other.makespan_ns);
  EXPECT_EQ(one.moved, other.moved);
  EXPECT_GT(one.bytes_moved(), 0u);
  for (std::size_t i = 0; i < one.workers.size(); ++i) EXPECT_EQ(one.workers[i].tasks, other.workers[i].tasks);
}

// Whoever has what, the parts of each worker's time add up to the makespan.
TEST(Simulator, PartsOfAWorkersTimeAddUpToTheMakespan) {
  MadeProgram made;
  const std::uint32_t a = made.add_block(256 * kPage), b = made.add_block(256 * kPage);
  for (int i = 0; i < 6; ++i) made.add_task(kMs, {MadeProgram::block(i % 2 == 0 ? a : b, Mode::inout)});
  made.wait();
  const Program& program = made.finish();
  for (const Strategy strategy : {Strategy::inline_, Strategy::ahead}) {
    const Prediction p = predict(program, made_target(2, {256 * kPage, 4096 * kPage}), strategy);
    for (const WorkerTime& time : p.workers)
      EXPECT_EQ(time.running + time.moving + time.idle, p.makespan_ns) << static_cast<int>(strategy);
  }
}

}  // namespace
}  // namespace weir::sim
