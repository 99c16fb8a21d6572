// SPDX-License-Identifier: Apache-2.0

// Engine on several memory nodes: beside the workers, and footprints that no node holds.
#include "data/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using enum RequestState;

Config beside() {
  Config config = with(Strategy::single, Evict::lru);
  config.allocation = Allocation::local_fast;
  config.workers = 4;
  return config;
}

class EngineNearWorkers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(bench_.tiers->tiers()[0].arenas, SizeIs(4));
    filler_ = &bench_.make("filler", 5 * kMiB);  // does not fit: blocks are tracked
    a_ = &bench_.make("a", 256 * kKiB);
    bench_.track();
    ASSERT_TRUE(bench_.run("a", {{a_, Mode::out}}, 1, 0));
  }
  static NodeId node_of(const BenchTask& task) {
    const Use& use = task.request.uses()[0];
    return use.replica != nullptr ? use.replica->place.node : NodeId::none;
  }

  EngineBench bench_{knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", beside()};
  Block* filler_ = nullptr;
  Block* a_ = nullptr;
};

TEST_F(EngineNearWorkers, MovesADirtyBlockToTheNodeOfItsNextTask) {
  ASSERT_EQ(EngineBench::state_of(*a_), ReplicaState::dirty);
  BenchTask& task = bench_.spawn("task", {{a_, Mode::inout}}, 2);
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  EXPECT_NE(bench_.flying[0].transfer->other, nullptr);
  bench_.land_all();
  ASSERT_EQ(task.request.state(), held);
  EXPECT_EQ(node_of(task), EngineBench::node(2));
  EXPECT_EQ(bench_.contents(task.request.uses()[0]), 1u);
  bench_.contents(task.request.uses()[0]) = 2;
  bench_.finish(task);
  EXPECT_EQ(EngineBench::replicas_of(*a_), 1);
  bench_.check_invariants();
  EXPECT_EQ(bench_.read(*a_, 3), 2u);
}

TEST_F(EngineNearWorkers, ForgetsADirtyReplicaThatIsOverwrittenElsewhere) {
  ASSERT_TRUE(bench_.run("overwrite", {{a_, Mode::out}}, 5, 1));
  EXPECT_EQ(EngineBench::replicas_of(*a_), 1);
  for (int node : {0, 1}) {
    for (int i = 0; i < 8; ++i) {  // displaces what is in both nodes
      Block& other = bench_.make("other", 256 * kKiB, node);
      ASSERT_TRUE(bench_.run("other", {{&other, Mode::out}}, 9, node));
    }
  }
  bench_.land_all();
  bench_.check_invariants();
  EXPECT_EQ(bench_.read(*a_, 2), 5u);
}

TEST_F(EngineNearWorkers, GivesTasksThatWriteTogetherTheSameReplica) {
  BenchTask& one = bench_.spawn("one", {{a_, Mode::commutative}}, 2);
  BenchTask& two = bench_.spawn("two", {{a_, Mode::commutative}}, 0);  // where it is now
  bench_.ready(one);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  bench_.ready(two);
  bench_.land_all();
  ASSERT_EQ(one.request.state(), held);
  ASSERT_EQ(two.request.state(), held);
  EXPECT_EQ(one.request.uses()[0].replica, two.request.uses()[0].replica);
  bench_.contents(one.request.uses()[0]) = 2;
  bench_.contents(two.request.uses()[0]) = 3;
  bench_.finish(one);
  bench_.finish(two);
  EXPECT_EQ(bench_.read(*a_, 1), 3u);
}

// What its parent has is not the first that is found, nor beside its worker.
TEST_F(EngineNearWorkers, ShowsATaskThatRunsInPlaceWhatTheTaskAroundItWrites) {
  EXPECT_EQ(bench_.read(*a_, 2), 1u);
  ASSERT_EQ(EngineBench::replicas_of(*a_), 2);
  BenchTask& parent = bench_.spawn("parent", {{a_, Mode::inout}}, 0);
  ASSERT_TRUE(bench_.ready(parent));
  bench_.engine.begin(parent.request);
  bench_.contents(parent.request.uses()[0]) = 2;
  BenchTask& child = bench_.spawn("child", {{a_, Mode::in}, {filler_, Mode::out}}, 2, 0, &parent);
  bench_.ready(child);
  ASSERT_EQ(child.request.state(), held);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 1u);
  EXPECT_EQ(bench_.contents(child.request.uses()[0]), 2u);
  bench_.finish(child);
  bench_.finish(parent);
  EXPECT_EQ(bench_.read(*a_, 2), 2u);
}

TEST_F(EngineNearWorkers, KeepsSeveralCleanReplicasOfWhatIsOnlyRead) {
  for (int domain : {0, 1, 2, 3, 0, 1, 2, 3}) EXPECT_EQ(bench_.read(*a_, domain), 1u);
  EXPECT_GE(EngineBench::replicas_of(*a_), 2);
  ASSERT_TRUE(bench_.run("write", {{a_, Mode::inout}}, 6, 1));
  EXPECT_EQ(EngineBench::replicas_of(*a_), 1);
  for (int domain : {3, 2, 1, 0}) EXPECT_EQ(bench_.read(*a_, domain), 6u);
  bench_.check_invariants();
}

TEST(Engine, OfSeveralFastNodesTakesAnyThatHasRoomOrCanMakeSome) {
  Config config = with(Strategy::single, Evict::lru);
  EngineBench bench(knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", config);  // 1 MiB a node
  bench.make("filler", 5 * kMiB);
  std::vector<Block*> small;
  for (int i = 0; i < 8; ++i) small.push_back(&bench.make("small", 512 * kKiB));
  Block& large = bench.make("large", 1 * kMiB);
  bench.track();
  std::vector<BenchTask*> holders;
  for (Block* block : small) {
    holders.push_back(&bench.spawn("holder", {{block, Mode::in}}));
    ASSERT_TRUE(bench.ready(*holders.back()));
  }
  // Every node is full of blocks that are held; now those of one node could leave.
  const NodeId node = small[3]->replicas->place.node;
  for (std::size_t i = 0; i < 8; ++i) {
    if (small[i]->replicas->place.node == node) bench.finish(*std::exchange(holders[i], nullptr));
  }
  BenchTask& task = bench.spawn("task", {{&large, Mode::out}});
  EXPECT_TRUE(bench.ready(task));
  bench.land_all();
  EXPECT_EQ(task.request.state(), held);
  bench.finish(task);
  for (BenchTask* holder : holders) {
    if (holder != nullptr) bench.finish(*holder);
  }
}

// ---- A tier of several nodes ----

class EngineOverNodes : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Tiers, EngineOverNodes, testing::Values("hbm=4MiB,ddr=64MiB", "hbm=4MiB,file=/tmp:64MiB"),
                         [](const auto& test) { return test.index == 0 ? "memory" : "file"; });

TEST_P(EngineOverNodes, RunsATaskThatFitsInTheTierAndOnNoNode) {
  EngineBench bench(knl_snc4_flat(), GetParam(), with(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(&bench.make("block", 600 * kKiB, i % 4));
  bench.track();
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(bench.run("fill", {{blocks[i], Mode::out}}, std::uint64_t(i) + 1));
  for (int first = 0; first < 8; first += 4) {
    Footprint footprint;
    for (int i = first; i < first + 4; ++i) footprint.emplace_back(blocks[i], Mode::in);
    BenchTask& task = bench.spawn("large", footprint);
    bench.ready(task);
    bench.land_all();
    ASSERT_EQ(task.request.state(), held);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NE(task.request.uses()[i].replica, nullptr);
      EXPECT_EQ(bench.contents(task.request.uses()[i]), std::uint64_t(first + i) + 1);
    }
    bench.check_invariants();
    bench.finish(task);
  }
  EXPECT_EQ(bench.engine.counters().in_place_runs, 0u);
  EXPECT_EQ(bench.engine.counters().failures, 0u);
}

TEST(EngineOverSeveralNodes, KnowsWhatSmallBlocksTakeOfThem) {
  for (const bool one_size : {true, false}) {
    EngineBench bench(knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", with(Strategy::single, Evict::lru));
    Footprint footprint;
    for (int i = 0; i < 4; ++i) footprint.emplace_back(&bench.make("large", 900 * kKiB, i), Mode::inout);
    bench.make("filler", 3 * kMiB);
    expect_that_small_blocks_count(bench, footprint, one_size);
  }
}

// A part lies on each node, and what is missing takes one node whole.
TEST_P(EngineOverNodes, RunsATaskWhoseOwnBlocksLieInTheWayOfTheRest) {
  EngineBench bench(knl_snc4_flat(), GetParam(), with(Strategy::single, Evict::lru));
  Footprint footprint;
  std::vector<Block*> halves;
  for (int i = 0; i < 4; ++i) halves.push_back(&bench.make("part", (i < 2 ? 300 : 600) * kKiB, i));
  Block& large = bench.make("large", 1 * kMiB);
  Block& other = bench.make("other", 600 * kKiB);
  for (int i = 0; i < 4; ++i) bench.make("filler", 1 * kMiB);
  bench.track();
  for (Block* const block : halves) footprint.emplace_back(block, Mode::in);
  footprint.emplace_back(&large, Mode::in);
  footprint.emplace_back(&other, Mode::in);
  for (Block* const block : halves) ASSERT_TRUE(bench.run("fill", {{block, Mode::out}}, 7));  // one on each node
  BenchTask& task = bench.spawn("task", footprint);
  bench.ready(task);
  bench.land_all();
  ASSERT_EQ(task.request.state(), held);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench.contents(task.request.uses()[i]), 7u);
  bench.check_invariants();
  bench.finish(task);
  EXPECT_EQ(bench.engine.counters().in_place_runs, 0u);
}

TEST(EngineOverSeveralNodes, SaysWhyWholeBlocksDoNotFit) {
  EngineBench bench(knl_snc4_flat(), "hbm=4MiB,file=/tmp:64MiB", with(Strategy::single, Evict::lru));
  Footprint footprint;
  for (int i = 0; i < 6; ++i) footprint.emplace_back(&bench.make("block", 600 * kKiB, i % 4), Mode::out);
  bench.track();
  BenchTask& task = bench.spawn("large", footprint);
  bench.ready(task);
  EXPECT_EQ(task.request.state(), failed);
  EXPECT_THAT(task.request.failure.message, HasSubstr("not so that each block is on one of them"));
  bench.finish(task);
}

}  // namespace
}  // namespace weir::data::engine
