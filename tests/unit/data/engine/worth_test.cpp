// SPDX-License-Identifier: Apache-2.0

// The strategy model: what is moved and what is used where it is, as a rule over times and on an engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/engine/engine.hpp"
#include "data/policy/move.hpp"
#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

using testing::SizeIs;
using enum RequestState;

TEST(PolicyMove, PaysWhenTheUsesGainMoreThanTheCopiesCost) {
  struct Row {
    const char* what;
    policy::Move move;
    bool pays;
  };
  // A use in slow memory loses 3 units; either copy takes 2.
  for (const Row& row : {
           Row{"read once: 3 gained, 2 paid", {3, 2, 0, 1, false, 0}, true},
           Row{"changed once: 3 gained, 4 paid", {3, 2, 2, 1, false, 0}, false},
           Row{"changed twice: 6 gained, 4 paid", {3, 2, 2, 2, false, 0}, true},
           Row{"changed twice, what leaves loses 3", {3, 2, 2, 2, true, 0}, false},
           Row{"changed three times, what leaves loses 3", {3, 2, 2, 3, true, 0}, true},
           Row{"read once, what leaves would come back for 2", {3, 2, 0, 1, true, 0}, false},
           Row{"written for the first time, used twice", {3, 0, 2, 2, false, 0}, true},
           Row{"copies cost nothing", {3, 0, 0, 1, false, 0}, true},
           Row{"the memories are equally fast", {0, 0, 0, 9, false, 0}, false},
           Row{"the other memory is slower", {-1, 2, 2, 9, false, 0}, false},
       }) {
    EXPECT_EQ(policy::pays(row.move), row.pays) << row.what;
  }
}

TEST(PolicyMove, ACopyCostsTheCoreThatCopiesAndWhoeverWaitsForTheSlowMemory) {
  struct Row {
    const char* what;
    policy::Copy copy;
    double seconds;
  };
  // 2 units of a core, and 5 of the slow memory.
  for (const Row& row : {
           Row{"nothing else is copied", {2, 5, 0, 2, false}, 2},
           Row{"nor needs the core", {2, 5, 0, 2, true}, 0},
           Row{"one of two workers waits", {2, 5, 1, 2, false}, 4.5},
           Row{"both wait", {2, 5, 2, 2, false}, 7},
           Row{"a core of its own keeps up with one move", {2, 5, 2, 2, true}, 0},
           Row{"the slow memory does not keep up with three", {2, 5, 6, 2, true}, 10},
       }) {
    EXPECT_DOUBLE_EQ(policy::cost_of(row.copy), row.seconds) << row.what;
  }
}

TEST(PolicyMove, NewMemoryIsTakenWhenAsMuchWasLostForWantOfIt) {
  const policy::Move move{3, 2, 2, 2, false, 10};  // gains 2 each time
  EXPECT_DOUBLE_EQ(policy::gain(move), 2);
  EXPECT_FALSE(policy::pays(move));
  EXPECT_FALSE(policy::pays(move, 8));
  EXPECT_TRUE(policy::pays(move, 8.5));
  EXPECT_FALSE(policy::pays({3, 2, 2, 1, false, 0}, 100)) << "it gains nothing";
}

TEST(PolicyMove, LeavesAShareInMemoryThatIsReadAtTheSameTime) {
  // 0.2 of all bytes: the slow memory has a quarter of the bandwidth.
  EXPECT_TRUE(policy::leaves_share({0, 400, 0.2}, 100));
  EXPECT_TRUE(policy::leaves_share({80, 900, 0.2}, 100)) << "180 of 1000";
  EXPECT_FALSE(policy::leaves_share({150, 900, 0.2}, 100)) << "250 of 1000";
  EXPECT_FALSE(policy::leaves_share({0, 900, 0}, 1)) << "they cannot be read at the same time";
}

// Fast memory for three of four blocks; the fourth is in memory of half its bandwidth.
class EngineThatWeighs : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d"}) blocks_.push_back(&bench_.make(name, kThird));
    bench_.track();
    for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench_.run("fill", {{blocks_[i], Mode::out}}, i + 1));
    bench_.land_all();
  }
  Block& block(std::size_t i) { return *blocks_[i]; }
  std::vector<BenchTask*> spawn(std::initializer_list<std::size_t> order, Mode mode) {
    std::vector<BenchTask*> tasks;
    for (const std::size_t i : order) tasks.push_back(&bench_.spawn("task", {{&block(i), mode}}));
    return tasks;
  }
  void run(const std::vector<BenchTask*>& tasks) {
    for (BenchTask* const task : tasks) {
      bench_.ready(*task);
      bench_.land_all();
      ASSERT_EQ(task->request.state(), held);
      bench_.engine.begin(task->request);
      bench_.finish(*task);
    }
  }

  EngineBench bench_{kSlow, with(Strategy::model)};  // one worker
  std::vector<Block*> blocks_;
};

TEST_F(EngineThatWeighs, UsesWhatIsChangedOnceInATurnWhereItIs) {
  // Over and over all four: whatever was brought in would displace what is needed before it is used again.
  const std::uint64_t before = bench_.engine.counters().bytes_fetched;
  run(spawn({0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, Mode::inout));
  EXPECT_EQ(bench_.engine.counters().bytes_fetched, before);
  bench_.check_invariants();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(block(i)), i + 1);
}

TEST_F(EngineThatWeighs, BringsWhatIsUsedManyTimesBeforeAnythingElse) {
  ASSERT_EQ(EngineBench::replicas_of(block(3)), 0) << "where all came once, it stayed in slow memory";
  const auto tasks = spawn({3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0}, Mode::inout);
  bench_.ready(*tasks[0]);
  EXPECT_FALSE(bench_.flying.empty());
  bench_.land_all();
  EXPECT_EQ(EngineBench::replicas_of(block(3)), 1);
  ASSERT_EQ(tasks[0]->request.state(), held);
  bench_.engine.begin(tasks[0]->request);
  bench_.finish(*tasks[0]);
  run({tasks.begin() + 1, tasks.end()});
  EXPECT_EQ(bench_.read(block(3)), 4u);
}

// Both copies take a core 122 us, two uses in place 164 us; until their bytes have gone there and back it takes longer.
TEST_F(EngineThatWeighs, CountsOfACopyOfEmulatedMemoryWhatItTakesOfACore) {
  bench_.destroy(block(0));
  const auto tasks = spawn({3, 3}, Mode::inout);
  bench_.ready(*tasks[0]);
  EXPECT_THAT(bench_.flying, SizeIs(1));
  bench_.land_all();
  ASSERT_EQ(tasks[0]->request.state(), held);
  EXPECT_FALSE(tasks[0]->request.uses()[0].at_home);
  bench_.engine.begin(tasks[0]->request);
  bench_.finish(*tasks[0]);
  run({tasks.begin() + 1, tasks.end()});
}

TEST_F(EngineThatWeighs, UsesInPlaceWhatWouldQueueForTheSlowMemory) {
  Block& another = bench_.make("e", kThird);
  ASSERT_TRUE(bench_.run("fill", {{&another, Mode::out}}, 5));
  bench_.land_all();
  ASSERT_EQ(EngineBench::replicas_of(another), 0);
  for (const std::size_t i : {0, 1}) bench_.destroy(block(i));
  BenchTask& first = bench_.spawn("first", {{&block(3), Mode::inout}});
  BenchTask& next = bench_.spawn("next", {{&block(3), Mode::inout}});
  bench_.ready(first);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  BenchTask& behind = bench_.spawn("behind", {{&another, Mode::inout}});
  BenchTask& later = bench_.spawn("later", {{&another, Mode::inout}});
  bench_.ready(behind);
  EXPECT_EQ(behind.request.state(), held);
  EXPECT_TRUE(behind.request.uses()[0].at_home) << "it would pay if nothing else were copied";
  bench_.land_all();
  for (BenchTask* const task : {&first, &behind, &next, &later}) {
    if (task->request.state() == RequestState::pending) bench_.ready(*task);
    bench_.land_all();
    ASSERT_EQ(task->request.state(), held);
    bench_.engine.begin(task->request);
    bench_.finish(*task);
  }
}

// Five of nine blocks are in slow memory. A core that no worker needs copies: what is changed once is moved, until more
// is under way than the two copies of a move.
TEST(EngineThatWeighsWithASpareCore, UsesInPlaceWhatIsBehindMoreThanOneMove) {
  Config config = with(Strategy::model);
  config.cores_to_spare = true;
  config.workers = 2;
  EngineBench bench(kSlow, config);
  std::vector<Block*> blocks, slow;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
    blocks.push_back(&bench.make(name, 200 * kKiB));
  bench.track();
  for (Block* const each : blocks) ASSERT_TRUE(bench.run("fill", {{each, Mode::out}}, 1));
  bench.land_all();
  for (Block* const each : blocks) {
    if (EngineBench::replicas_of(*each) == 0)
      slow.push_back(each);
    else
      bench.destroy(*each);
  }
  ASSERT_THAT(slow, SizeIs(5));
  BenchTask& first = bench.spawn("first", {{slow[0], Mode::inout}, {slow[1], Mode::inout}});
  bench.ready(first);
  EXPECT_THAT(bench.flying, SizeIs(2)) << "copies cost no worker anything";
  BenchTask& next = bench.spawn("next", {{slow[2], Mode::inout}, {slow[3], Mode::inout}});
  bench.ready(next);
  EXPECT_THAT(bench.flying, SizeIs(4)) << "nor with two under way";
  BenchTask& behind = bench.spawn("behind", {{slow[4], Mode::inout}});
  bench.ready(behind);
  EXPECT_THAT(bench.flying, SizeIs(4));
  EXPECT_EQ(behind.request.state(), held);
  EXPECT_TRUE(behind.request.uses()[0].at_home) << "the slow memory does not keep up";
  bench.land_all();
  for (BenchTask* const task : {&first, &next, &behind}) {
    ASSERT_EQ(task->request.state(), held);
    bench.engine.begin(task->request);
    bench.finish(*task);
  }
  bench.check_invariants();
}

// Written in place a block takes 82 us more, its copy back takes a core 61, and clearing memory for the one that leaves
// takes one 87.
TEST(EngineThatWeighsWithASpareCore, HasItClearNewMemory) {
  for (const bool spare : {false, true}) {
    Config config = with(Strategy::model);
    config.cores_to_spare = spare;
    EngineBench bench(kSlow, config);
    std::vector<Block*> blocks;
    for (const char* name : {"a", "b", "c", "d"}) blocks.push_back(&bench.make(name, kThird));
    bench.track();
    for (Block* const each : blocks) ASSERT_TRUE(bench.run("fill", {{each, Mode::out}}, 1));
    bench.land_all();
    EXPECT_EQ(EngineBench::replicas_of(*blocks[3]), spare ? 1 : 0);
    bench.check_invariants();
  }
}

TEST_F(EngineThatWeighs, ReportsTheBytesThatSlowMemoryIsChargedFor) {
  BenchTask& task = bench_.spawn("task", {{&block(3), Mode::in}});
  bench_.ready(task);
  ASSERT_EQ(task.request.state(), held);
  EXPECT_TRUE(task.request.uses()[0].at_home);
  EXPECT_EQ(task.request.in_place_bytes, kThird);
  bench_.finish(task);
}

TEST(EngineWithoutCosts, MovesAsAheadDoes) {
  Config config = with(Strategy::model);
  EngineBench bench(kSlow, config);
  Engine engine(bench.memory.hierarchy(), bench.memory.memories(), config);
  Block block;
  block.size = kThird;
  Block large;
  large.size = 2 * kMiB;
  ASSERT_TRUE(engine.add(large));
  ASSERT_TRUE(engine.add(block));
  Request request;
  request.add(block, Mode::in);
  engine.add(request);
  Actions actions;
  engine.ready(request, actions);
  EXPECT_EQ(request.state(), held);
  EXPECT_FALSE(request.uses()[0].at_home);
  engine.begin(request);
  engine.finish(request, actions);
  engine.remove(block, actions);
  engine.remove(large, actions);
}

// A file cannot be used in place: all has to come.
TEST(EngineThatWeighsFiles, BringsEverythingFromThem) {
  EngineBench bench(kFile, with(Strategy::model));
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(&bench.make("block", kThird));
  bench.track();
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench.run("fill", {{blocks[i], Mode::out}}, i + 1));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench.read(*blocks[i]), i + 1);
  EXPECT_GT(bench.engine.counters().bytes_fetched, 0u);
}

}  // namespace
}  // namespace weir::data::engine
