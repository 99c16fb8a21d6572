// SPDX-License-Identifier: Apache-2.0

// Engine on three tiers: what leaves the first goes to the second if there is room, else home to the file; and tasks
// that are not brought to the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/engine/engine.hpp"
#include "data/policy/chain.hpp"
#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

using testing::SizeIs;
using enum RequestState;

constexpr const char* kChain = "memory=1MiB,emulated=1MiB@0.5,file=/tmp:16MiB";
constexpr PlacementHint kInFile{PlacementHint::Tier::slow, false, false, false};

Config chained(Strategy strategy, Evict evict = Evict::next_use) {
  Config config = with(strategy, evict);
  config.chains = true;
  return config;
}

// Six blocks of a third of the first tier that live in the file: a to f hold 1 to 6.
class EngineChain : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) blocks_.push_back(&bench_.make(name, kThird, 0, kInFile));
    bench_.track();
  }
  void write(std::size_t i) {
    ASSERT_TRUE(bench_.run("write", {{blocks_[i], Mode::out}}, i + 1));
    bench_.land_all();
    bench_.check_invariants();
  }
  void write_first(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) write(i);
  }
  Replica* replica_in(const Block& block, std::size_t tier) {
    for (Replica* r = block.replicas; r != nullptr; r = r->next)
      if (bench_.memory.hierarchy().tier_of(r->place.node) == TierIndex(tier)) return r;
    return nullptr;
  }
  Block& block(std::size_t i) { return *blocks_[i]; }

  EngineBench bench_{kChain, chained(Strategy::single, Evict::lru)};
  std::vector<Block*> blocks_;
};

TEST_F(EngineChain, WhatLeavesTheFirstTierGoesToTheSecond) {
  write_first(3);
  BenchTask& task = bench_.spawn("task", {{&block(3), Mode::out}});
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  const Transfer& transfer = *bench_.flying[0].transfer;
  EXPECT_EQ(transfer.replica->block, &block(0));
  ASSERT_NE(transfer.other, nullptr);
  EXPECT_EQ(bench_.memory.hierarchy().tier_of(transfer.other->place.node), TierIndex{1});
  bench_.land_all();
  EXPECT_EQ(task.request.state(), held);
  bench_.finish(task);
  EXPECT_EQ(EngineBench::replicas_of(block(0)), 1);
  ASSERT_NE(replica_in(block(0), 1), nullptr);
  EXPECT_EQ(replica_in(block(0), 1)->state, ReplicaState::dirty);
  EXPECT_EQ(block(0).home.kind, Home::Kind::none) << "the file was not needed";
}

// The second tier holds b in its middle: what is free on both sides of it is enough for d, but not in one piece.
TEST(EngineChainInPieces, AHomeForWhichThereIsNoRoomInOnePieceGoesToTheTierBehind) {
  EngineBench bench("memory=768KiB,emulated=1MiB@0.5,file=/tmp:16MiB", chained(Strategy::single, Evict::lru));
  const auto use = [&](Block& block, Mode mode, std::uint64_t value) {
    ASSERT_TRUE(bench.run("task", {{&block, mode}}, value));
    bench.land_all();
    bench.check_invariants();
  };
  Block& a = bench.make("a", 320 << 10);
  Block& b = bench.make("b", 320 << 10);
  Block& c = bench.make("c", 320 << 10);
  bench.track();
  use(a, Mode::out, 1);
  use(b, Mode::out, 2);
  use(c, Mode::out, 3);  // a leaves
  use(a, Mode::in, 1);   // b leaves
  use(b, Mode::in, 2);   // c leaves
  ASSERT_EQ(b.home.kind, Home::Kind::memory);
  ASSERT_LT(a.home.place.offset, b.home.place.offset);
  ASSERT_LT(b.home.place.offset, c.home.place.offset);
  bench.destroy(a);
  bench.destroy(c);
  Block& d = bench.make("d", 600 << 10);
  EXPECT_EQ(d.home.tier, TierIndex{1});
  use(d, Mode::out, 4);
  use(b, Mode::in, 2);  // d leaves
  EXPECT_EQ(d.home.kind, Home::Kind::file);
  EXPECT_EQ(d.home.tier, TierIndex{2});
  EXPECT_EQ(bench.engine.counters().failures, 0u);
  BenchTask& task = bench.spawn("task", {{&d, Mode::in}});
  bench.ready(task);
  bench.land_all();
  ASSERT_EQ(task.request.state(), held);
  EXPECT_EQ(bench.contents(task.request.uses()[0]), 4u);
  bench.finish(task);
}

TEST_F(EngineChain, AndComesBackFromThere) {
  write_first(4);
  BenchTask& task = bench_.spawn("task", {{&block(0), Mode::in}});
  bench_.ready(task);
  while (task.request.state() != held) {
    ASSERT_FALSE(bench_.flying.empty());
    EXPECT_NE(bench_.flying[0].transfer->other, nullptr) << "neither from nor to the file";
    bench_.land();
  }
  EXPECT_EQ(bench_.contents(task.request.uses()[0]), 1u);
  bench_.check_invariants();
  bench_.finish(task);
}

TEST_F(EngineChain, WhatFindsNoRoomInTheSecondTierGoesHome) {
  write_first(6);  // three in either
  Block& g = bench_.make("g", kThird, 0, kInFile);
  BenchTask& task = bench_.spawn("task", {{&g, Mode::out}});
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  EXPECT_EQ(bench_.flying[0].transfer->other, nullptr);
  EXPECT_EQ(bench_.flying[0].transfer->replica->block, &block(3));
  bench_.land_all();
  EXPECT_EQ(block(3).home.kind, Home::Kind::file);
  EXPECT_EQ(task.request.state(), held);
  bench_.finish(task);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(bench_.read(block(i)), i + 1);
}

TEST_F(EngineChain, ACopyBelowTakesOverWithoutATransfer) {
  write_first(4);
  EXPECT_EQ(bench_.read(block(0)), 1u);
  bench_.land_all();
  ASSERT_EQ(EngineBench::replicas_of(block(0)), 2);
  ASSERT_EQ(replica_in(block(0), 0)->state, ReplicaState::dirty);
  ASSERT_EQ(bench_.read(block(2)), 3u);
  ASSERT_EQ(bench_.read(block(3)), 4u);
  BenchTask& task = bench_.spawn("task", {{&block(4), Mode::out}});  // a leaves: it was used longest ago
  EXPECT_TRUE(bench_.ready(task));
  EXPECT_THAT(bench_.flying, SizeIs(0));
  EXPECT_EQ(EngineBench::replicas_of(block(0)), 1);
  EXPECT_EQ(replica_in(block(0), 1)->state, ReplicaState::dirty);
  bench_.check_invariants();
  bench_.finish(task);
  EXPECT_EQ(bench_.read(block(0)), 1u);
}

TEST_F(EngineChain, WhatIsWrittenAboveLeavesNoOldCopyBelow) {
  write_first(4);
  ASSERT_TRUE(bench_.run("change", {{&block(0), Mode::inout}}, 9));
  bench_.land_all();
  bench_.check_invariants();
  EXPECT_EQ(EngineBench::replicas_of(block(0)), 1);
  EXPECT_EQ(replica_in(block(0), 1), nullptr);
  EXPECT_EQ(bench_.read(block(0)), 9u);
}

TEST_F(EngineChain, ACleanCopyBelowMakesWayForWhatIsNeeded) {
  write_first(6);                        // a, b, c below; d, e, f above
  EXPECT_EQ(bench_.read(block(0)), 1u);  // d has no room below while a, b and c are there: it goes home
  bench_.land_all();
  ASSERT_EQ(EngineBench::replicas_of(block(0)), 2);
  ASSERT_EQ(block(3).home.kind, Home::Kind::file);
  Block& g = bench_.make("g", kThird, 0, kInFile);
  BenchTask& task = bench_.spawn("task", {{&g, Mode::out}});  // e leaves, and displaces the second copy of a
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  EXPECT_NE(bench_.flying[0].transfer->other, nullptr);
  bench_.land_all();
  EXPECT_EQ(EngineBench::replicas_of(block(0)), 1);
  EXPECT_NE(replica_in(block(4), 1), nullptr);
  bench_.finish(task);
  bench_.check_invariants();
}

TEST_F(EngineChain, AFailedCopyDownLosesNothing) {
  write_first(3);
  BenchTask& task = bench_.spawn("task", {{&block(3), Mode::out}});
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  bench_.land(0, base::Status{base::Code::io_error, "broken"});
  bench_.check_invariants();
  bench_.land_all();
  ASSERT_EQ(task.request.state(), held);
  bench_.finish(task);
  EXPECT_EQ(bench_.read(block(0)), 1u);
}

TEST_F(EngineChain, BetweenTheEndsOfTwoTasksABlockGoesDownOnceAndThenHome) {
  write_first(3);
  BenchTask& task = bench_.spawn("task", {{&block(3), Mode::out}});
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  ASSERT_NE(bench_.flying[0].transfer->other, nullptr);
  bench_.land(0, base::Status{base::Code::io_error, "broken"});
  ASSERT_THAT(bench_.flying, SizeIs(1)) << "it leaves again";
  EXPECT_EQ(bench_.flying[0].transfer->replica->block, &block(0));
  EXPECT_EQ(bench_.flying[0].transfer->other, nullptr) << "not the same way again";
  bench_.land_all();
  ASSERT_EQ(task.request.state(), held);
  bench_.finish(task);
  EXPECT_EQ(bench_.read(block(0)), 1u);
}

TEST_F(EngineChain, WhatWasNeverWrittenTakesNoRoomBelow) {
  for (std::size_t i = 0; i < 3; ++i) {
    BenchTask& reader = bench_.spawn("reader", {{&block(i), Mode::in}});
    ASSERT_TRUE(bench_.ready(reader));
    bench_.finish(reader);
  }
  BenchTask& task = bench_.spawn("task", {{&block(3), Mode::out}});
  EXPECT_TRUE(bench_.ready(task)) << "nothing has to be copied for it";
  EXPECT_THAT(bench_.flying, SizeIs(0));
  EXPECT_EQ(bench_.arena(1).used(), 0u);
  bench_.finish(task);
}

TEST(EngineChainCopies, StayBelowWhenTheirRoomWouldNotBeEnough) {
  EngineBench bench(kChain, chained(Strategy::single, Evict::lru));
  std::map<std::string, Block*> blocks;
  for (const char* name : {"x", "y", "a", "w"}) blocks[name] = &bench.make(name, kThird, 0, kInFile);
  for (const char* name : {"big", "new"}) blocks[name] = &bench.make(name, 500 * kKiB, 0, kInFile);
  bench.track();
  std::uint64_t stamp = 0;
  for (const char* name : {"x", "y", "big", "a"}) ASSERT_TRUE(bench.run(name, {{blocks[name], Mode::out}}, ++stamp));
  EXPECT_EQ(bench.read(*blocks["big"]), 3u);
  ASSERT_TRUE(bench.run("w", {{blocks["w"], Mode::out}}, ++stamp));  // x, y and a are below
  EXPECT_EQ(bench.read(*blocks["big"]), 3u);
  EXPECT_EQ(bench.read(*blocks["a"]), 4u);  // and w at home
  bench.land_all();
  ASSERT_EQ(EngineBench::replicas_of(*blocks["a"]), 2);
  BenchTask& task = bench.spawn("task", {{blocks["new"], Mode::out}});
  bench.ready(task);
  ASSERT_THAT(bench.flying, SizeIs(1));
  EXPECT_EQ(bench.flying[0].transfer->replica->block, blocks["big"]);
  EXPECT_EQ(bench.flying[0].transfer->other, nullptr) << "home";
  EXPECT_EQ(EngineBench::replicas_of(*blocks["a"]), 2) << "it did not leave in vain";
  bench.land_all();
  EXPECT_EQ(task.request.state(), held);
  bench.finish(task);
  bench.check_invariants();
}

TEST_F(EngineChain, ATaskThatWritesWaitsWhileItsBlockIsCopiedDown) {
  write_first(3);
  BenchTask& other = bench_.spawn("other", {{&block(3), Mode::out}});
  bench_.ready(other);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  BenchTask& task = bench_.spawn("task", {{&block(0), Mode::inout}});
  bench_.ready(task);
  EXPECT_NE(task.request.state(), held);
  bench_.land();
  ASSERT_EQ(task.request.state(), held);
  bench_.engine.begin(task.request);
  EXPECT_EQ(bench_.contents(task.request.uses()[0]), 1u);
  bench_.contents(task.request.uses()[0]) = 8;
  bench_.finish(task);
  bench_.land_all();
  bench_.finish(other);
  bench_.check_invariants();
  EXPECT_EQ(bench_.read(block(0)), 8u);
}

// Three blocks that nobody uses any more fill the second tier, and those in the first have tasks to come. When one of
// these has to leave, it goes home, and so do the contents of one below; the next displaces that.
TEST(EngineChainByNextUse, WhatNobodyNeedsDoesNotKeepOthersOutOfTheSecondTier) {
  EngineBench bench(kChain, chained(Strategy::single));
  std::vector<Block*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(&bench.make("block", kThird, 0, kInFile));
  bench.track();
  for (std::size_t i = 0; i < 6; ++i) ASSERT_TRUE(bench.run("write", {{blocks[i], Mode::out}}, i + 1));
  bench.land_all();
  const auto tier_of = [&](const Replica& r) { return bench.memory.hierarchy().tier_of(r.place.node); };
  std::vector<BenchTask*> to_come;
  for (std::size_t i = 0; i < 6; ++i)
    if (tier_of(*blocks[i]->replicas) == TierIndex{0})
      to_come.push_back(&bench.spawn("later", {{blocks[i], Mode::in}}));
  ASSERT_THAT(to_come, SizeIs(3));

  BenchTask& first = bench.spawn("first", {{blocks[6], Mode::out}});
  to_come.push_back(&bench.spawn("later", {{blocks[6], Mode::in}}));
  bench.ready(first);
  ASSERT_THAT(bench.flying, SizeIs(2));
  for (const auto& flight : bench.flying) {
    EXPECT_EQ(flight.transfer->other, nullptr) << "home";
    EXPECT_EQ(flight.transfer->replica->leaving, tier_of(*flight.transfer->replica) == TierIndex{0});
  }
  bench.land_all();
  ASSERT_EQ(first.request.state(), held);
  bench.engine.begin(first.request);
  bench.contents(first.request.uses()[0]) = 7;
  bench.finish(first);

  BenchTask& second = bench.spawn("second", {{blocks[7], Mode::out}});
  bench.ready(second);
  ASSERT_THAT(bench.flying, SizeIs(1));
  EXPECT_EQ(bench.flying[0].transfer->replica->block, blocks[6]);
  EXPECT_NE(bench.flying[0].transfer->other, nullptr) << "to the second tier";
  bench.land_all();
  bench.check_invariants();
  bench.finish(second);
  for (BenchTask* const task : to_come) {
    task->request.cancelled = true;
    bench.finish(*task);
  }
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(bench.read(*blocks[i]), i + 1);
}

TEST(EngineChains, AreOfStrategiesThatLookAheadUnlessSaidOtherwise) {
  EXPECT_TRUE(has_chains(Chains::auto_, Strategy::ahead));
  EXPECT_TRUE(has_chains(Chains::auto_, Strategy::model));
  EXPECT_FALSE(has_chains(Chains::auto_, Strategy::multi));
  EXPECT_TRUE(has_chains(Chains::on, Strategy::multi));
  EXPECT_FALSE(has_chains(Chains::off, Strategy::ahead));
}

// ---- Homes in the second tier ----

TEST(EngineChainHomes, TakeAllOfTheSecondTierUntilSomethingLivesBehindIt) {
  EngineBench bench(kChain, chained(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(&bench.make("block", 256 * kKiB));
  for (const Block* const block : blocks) EXPECT_EQ(block->home.tier, TierIndex{1});
  EXPECT_EQ(bench.arena(1).used(), 0u) << "nothing was written there";
}

TEST(EngineChainHomes, LeaveAPartOfTheSecondTierToWhatLivesBehindIt) {
  EngineBench bench(kChain, chained(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(&bench.make("block", 256 * kKiB));
  EXPECT_EQ(blocks[2]->home.tier, TierIndex{1});
  EXPECT_EQ(blocks[3]->home.tier, TierIndex{2}) << "a fourth part is left";
  EXPECT_EQ(blocks[4]->home.tier, TierIndex{2});
  bench.check_invariants();
}

// Blocks of which four, which live in the second tier, were written and lie there.
class EngineChainMovedHomes : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 4; ++i) here_.push_back(&bench_.make("here", 256 * kKiB));
    bench_.track();
    for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench_.run("write", {{here_[i], Mode::out}}, 10 + i));
    bench_.land_all();
    ASSERT_TRUE(std::all_of(here_.begin(), here_.end(), is_home_alone));
  }
  static bool is_home_alone(const Block* block) {
    return block->replicas == nullptr && block->home.current && block->home.kind == Home::Kind::memory;
  }

  EngineBench bench_{"memory=768KiB,emulated=1MiB@0.5,file=/tmp:16MiB", chained(Strategy::single, Evict::refcount)};
  std::vector<Block*> here_;
};

TEST_F(EngineChainMovedHomes, LeaveTheirContentsWhereTheyAre) {
  bench_.make("behind", 256 * kKiB);
  EXPECT_THAT(bench_.flying, SizeIs(0)) << "nothing is copied";
  EXPECT_EQ(here_[3]->home.tier, TierIndex{2});
  EXPECT_EQ(here_[3]->home.kind, Home::Kind::none);
  ASSERT_EQ(EngineBench::replicas_of(*here_[3]), 1);
  EXPECT_EQ(here_[3]->replicas->state, ReplicaState::dirty);
  EXPECT_TRUE(is_home_alone(here_[2])) << "the others stay";
  bench_.check_invariants();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*here_[i]), 10 + i);
  bench_.land_all();
  bench_.check_invariants();
}

TEST_F(EngineChainMovedHomes, AreNotThoseOfBlocksThatTasksUse) {
  BenchTask& task = bench_.spawn("task", {{here_[3], Mode::in}});
  bench_.ready(task);
  bench_.land_all();
  ASSERT_EQ(task.request.state(), held);
  bench_.make("behind", 256 * kKiB);
  EXPECT_EQ(here_[3]->home.tier, TierIndex{1}) << "it has a copy, which is as new";
  EXPECT_EQ(here_[2]->home.tier, TierIndex{2}) << "another one goes instead";
  bench_.check_invariants();
  bench_.finish(task);
  bench_.land_all();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*here_[i]), 10 + i);
}

TEST(EngineChainHomes, StayWhereTheyAreWhenThereIsNoRoomBehindThem) {
  EngineBench bench("memory=1MiB,emulated=1MiB@0.5,file=/tmp:256KiB", chained(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(&bench.make("block", 256 * kKiB));
  EXPECT_EQ(blocks[4]->home.tier, TierIndex{2});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(blocks[i]->home.tier, TierIndex{1});
  bench.check_invariants();
}

TEST(EngineChainHomes, TakeAllOfTheSecondTierWhereTiersFormNoChain) {
  EngineBench bench(kChain, with(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(&bench.make("block", 256 * kKiB));
  EXPECT_EQ(blocks[3]->home.tier, TierIndex{1});
  EXPECT_EQ(blocks[4]->home.tier, TierIndex{2});
}

TEST(EngineChainHomes, HaveTheirPlaceInMemoryOnceSomethingLivesBehindIt) {
  EngineBench bench(kChain, chained(Strategy::single, Evict::lru));
  const Block& here = bench.make("here", kThird);
  EXPECT_EQ(here.home.kind, Home::Kind::none);
  const Block& behind = bench.make("behind", kThird, 0, kInFile);
  EXPECT_EQ(here.home.kind, Home::Kind::memory);
  EXPECT_FALSE(here.home.current);
  EXPECT_EQ(behind.home.kind, Home::Kind::none) << "of a file it is taken when something is written there";
  EXPECT_EQ(bench.arena(1).used(), here.charge);
}

TEST(EngineChainHomes, TakeAllOfItWhenThereIsNoRoomBehindIt) {
  EngineBench bench("memory=1MiB,emulated=1MiB@0.5,file=/tmp:1MiB", chained(Strategy::single, Evict::lru));
  std::vector<Block*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(&bench.make("block", 256 * kKiB));
  EXPECT_EQ(blocks[6]->home.tier, TierIndex{2});
  EXPECT_EQ(blocks[7]->home.tier, TierIndex{1});
}

TEST(EngineChainHomes, FindTheirRoomAlthoughCopiesOfOthersCame) {
  EngineBench bench(kChain, chained(Strategy::single, Evict::lru));
  std::vector<Block*> here, behind;
  for (int i = 0; i < 2; ++i) here.push_back(&bench.make("here", kThird));  // 640 KiB of 768
  for (int i = 0; i < 4; ++i) behind.push_back(&bench.make("behind", kThird, 0, kInFile));
  bench.track();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench.run("write", {{behind[i], Mode::out}}, 10 + i));
    for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(bench.run("write", {{here[i], Mode::out}}, 20 + i));
    bench.land_all();
    bench.check_invariants();
  }
  EXPECT_EQ(bench.engine.counters().failures, 0u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench.read(*behind[i]), 10 + i);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(bench.read(*here[i]), 20 + i);
}

// ---- The tier of a task ----

TEST(EngineTargets, AFootprintThatOnlyTheSecondTierHoldsIsBroughtThere) {
  EngineBench bench("memory=1MiB,emulated=4MiB@0.5,file=/tmp:16MiB", chained(Strategy::ahead));
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(&bench.make("block", kThird, 0, kInFile));
  bench.track();
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench.run("write", {{blocks[i], Mode::out}}, i + 1));
  BenchTask& task =
      bench.spawn("all", {{blocks[0], Mode::in}, {blocks[1], Mode::in}, {blocks[2], Mode::in}, {blocks[3], Mode::in}});
  bench.ready(task);
  bench.land_all();
  ASSERT_EQ(task.request.state(), held);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench.contents(task.request.uses()[i]), i + 1);
  EXPECT_EQ(bench.engine.counters().in_place_runs, 0u);
  EXPECT_EQ(task.request.target.tier(), TierIndex{1});
  bench.finish(task);
  bench.check_invariants();
}

TEST(EngineTargets, IsThatOfTheWholeFootprintWhenBlocksAreAddedToIt) {
  EngineBench bench("memory=1MiB,emulated=4MiB@0.5,file=/tmp:16MiB", chained(Strategy::ahead));
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(&bench.make("block", kThird, 0, kInFile));
  bench.track();
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench.run("write", {{blocks[i], Mode::out}}, i + 1));
  BenchTask& task = bench.spawn("EDT", {});
  task.request.make_room(4);
  for (Block* const block : blocks) bench.add(task, *block, Mode::in);
  bench.ready(task);
  bench.land_all();
  ASSERT_EQ(task.request.state(), held);
  EXPECT_EQ(task.request.target.tier(), TierIndex{1});
  bench.finish(task);
  bench.check_invariants();
}

// Books without memory.
class Books final : public NodeMemory {
 public:
  explicit Books(std::size_t budget) : budget_(budget) {}
  std::optional<std::uint64_t> take(std::size_t charge, const std::string&) noexcept override {
    if (used_ + charge > budget_) return std::nullopt;
    used_ += charge;
    return next_ += 1 << 30;
  }
  void give_back(std::uint64_t, std::size_t charge) noexcept override { used_ -= charge; }
  void trim() noexcept override {}
  std::size_t budget() const noexcept override { return budget_; }
  std::size_t used() const noexcept override { return used_; }
  std::size_t largest_free() const noexcept override { return budget_ - used_; }
  base::Status refusal() const override { return refusal_; }
  // Of the system, from now on: more than `budget`.
  void refuse(std::size_t budget, std::string why) {
    budget_ = budget;
    refusal_ = {base::Code::no_space, std::move(why)};
  }

 private:
  std::size_t budget_, used_ = 0;
  base::Status refusal_ = base::Status::success();
  std::uint64_t next_ = 0;
};

TEST(EngineHomes, SayWhyATierHasLessThanWasAskedFor) {
  Hierarchy hierarchy;
  hierarchy.tiers = {{"ddr", true, false, true, false, 8 * kMiB, {NodeId{0}}}};
  hierarchy.nodes = {{"ddr0", TierIndex{0}}};
  hierarchy.seen = {{{0, true, true, 0, 0}}};
  Books ddr(8 * kMiB);
  Engine engine(hierarchy, {&ddr}, Config());
  Block block;
  block.name = "a";
  block.size = 16 * kMiB;
  EXPECT_THAT(engine.add(block).message, testing::HasSubstr("(ddr 8 MiB with 0 B taken); give a tier more memory"));
  ddr.refuse(2 * kMiB, "ddr0: asked for 8 MiB, got 2 MiB: its cgroup leaves 0 B; ask for less");
  block.size = 4 * kMiB;
  EXPECT_EQ(
      engine.add(block).message,
      "block \"a\" of 4 MiB has no place in any tier (ddr 2 MiB with 0 B taken; ddr0: asked for 8 MiB, got 2 MiB: "
      "its cgroup leaves 0 B; ask for less); have others leave memory to it, or add a file tier with --tiers or "
      "WEIR_TIERS");
}

// Two domains; HBM is adjacent to the first alone. A machine that nobody has, described as values.
TEST(EngineTargets, EachDomainHasATierOfItsOwn) {
  Hierarchy hierarchy;
  hierarchy.tiers = {{"hbm", false, true, true, false, kMiB, {NodeId{0}}},
                     {"ddr", true, false, true, false, 8 * kMiB, {NodeId{1}}}};
  hierarchy.nodes = {{"hbm0", TierIndex{0}}, {"ddr0", TierIndex{1}}};
  hierarchy.seen = {{{0, false, true, 0, 0}, {1, true, true, 1, 0}}, {{0, false, false, 1, 0}, {1, true, true, 0, 0}}};
  Books hbm(kMiB), ddr(8 * kMiB);
  Config config = chained(Strategy::ahead);
  config.allocation = Allocation::local_fast;
  Engine engine(hierarchy, {&hbm, &ddr}, config);
  Block filler, block;
  filler.size = 2 * kMiB;
  block.size = 256 * kKiB;
  ASSERT_TRUE(engine.add(filler));
  ASSERT_TRUE(engine.add(block));
  ASSERT_TRUE(engine.tracked());
  const auto run_in = [&](int domain) {
    Request request;
    request.domain = DomainId(domain);
    request.add(block, Mode::inout);
    engine.add(request);
    Actions actions;
    engine.ready(request, actions);
    EXPECT_EQ(request.state(), held);
    EXPECT_EQ(actions.transfers, nullptr);
    const Use& use = request.uses()[0];
    const NodeId node = use.at_home ? block.home.place.node : use.replica->place.node;
    engine.begin(request);
    request.cancelled = true;
    engine.finish(request, actions);
    return node;
  };
  EXPECT_EQ(run_in(1), NodeId{1}) << "no HBM of this domain: where it lives is as good as it gets";
  EXPECT_TRUE(block.home.kind == Home::Kind::memory);
  EXPECT_EQ(run_in(0), NodeId{0});
  Actions actions;
  engine.remove(block, actions);
  engine.remove(filler, actions);
  EXPECT_EQ(hbm.used() + ddr.used(), 0u);
}

// The second of four tiers holds the three blocks of a task when that begins to wait, and not when a home was made.
TEST(EngineTargets, AreChosenAgainWhenAHomeThatWasMadeLaterTakesTheRoom) {
  Hierarchy hierarchy;
  hierarchy.tiers = {{"hbm", false, true, true, false, kMiB / 2, {NodeId{0}}},
                     {"ddr", true, false, true, false, kMiB, {NodeId{1}}},
                     {"cxl", false, false, true, false, 4 * kMiB, {NodeId{2}}},
                     {"file", false, false, false, false, 16 * kMiB, {NodeId{3}}}};
  hierarchy.nodes = {{"hbm0", TierIndex{0}}, {"ddr0", TierIndex{1}}, {"cxl0", TierIndex{2}}, {"file", TierIndex{3}}};
  hierarchy.seen = {{{0, false, true, 0, 0}, {1, true, true, 1, 0}, {2, false, true, 2, 0}, {3, false, true, 3, 0}}};
  Books hbm(kMiB / 2), ddr(kMiB), cxl(4 * kMiB), file(16 * kMiB);
  Config config = chained(Strategy::ahead);
  config.depth = 0;  // nothing comes early
  Engine engine(hierarchy, {&hbm, &ddr, &cxl, &file}, config);
  std::vector<Block> blocks(5);
  for (Block& block : blocks) {
    block.size = kThird;
    ASSERT_TRUE(engine.add(block, kInFile));
  }
  Request holder, waiting;
  Actions actions;
  for (std::size_t i = 0; i < 2; ++i) holder.add(blocks[i], Mode::out);
  for (std::size_t i = 2; i < 5; ++i) waiting.add(blocks[i], Mode::out);
  engine.add(holder);
  engine.add(waiting);
  engine.ready(holder, actions);
  ASSERT_TRUE(engine.begin(holder));
  engine.ready(waiting, actions);
  ASSERT_TRUE(waiting.waits());
  ASSERT_EQ(waiting.target.tier(), TierIndex{1});
  Block home;
  home.size = 256 * kKiB;
  ASSERT_TRUE(engine.add(home, PlacementHint{PlacementHint::Tier::middle, false, false, false}));
  ASSERT_EQ(home.home.tier, TierIndex{1});
  holder.cancelled = true;
  engine.finish(holder, actions);
  EXPECT_EQ(waiting.state(), held);
  EXPECT_EQ(waiting.target.tier(), TierIndex{2});
  waiting.cancelled = true;
  engine.finish(waiting, actions);
  for (Block& block : blocks) engine.remove(block, actions);
  engine.remove(home, actions);
  EXPECT_EQ(hbm.used() + ddr.used() + cxl.used() + file.used(), 0u);
}

// ---- The rule ----

TEST(Descend, DisplacesOnlyWhatCostsNothingAndIsNeededLater) {
  using policy::Candidate;
  using policy::Descent;
  constexpr Candidate leaving{.next_use = 10, .last_use = 5, .bytes = 100, .dirty = true};
  constexpr Candidate later{.next_use = 20, .last_use = 3, .bytes = 50, .dirty = false};
  constexpr Candidate later_dirty{.next_use = 20, .last_use = 3, .bytes = 50, .dirty = true};
  constexpr Candidate sooner{.next_use = 8, .last_use = 7, .bytes = 50, .dirty = false};
  struct Row {
    std::size_t room;
    const Candidate* first;
    Descent descent;
  };
  for (const Row& row :
       {Row{100, nullptr, Descent::down}, Row{100, &sooner, Descent::down}, Row{99, nullptr, Descent::home},
        Row{99, &later, Descent::displace}, Row{0, &sooner, Descent::home}}) {
    for (const Evict rule : {Evict::refcount, Evict::lru, Evict::next_use})
      EXPECT_EQ(policy::descend(rule, leaving, row.room, row.first), row.descent) << row.room;
  }
  EXPECT_EQ(policy::descend(Evict::next_use, leaving, 99, &later_dirty), Descent::clean);
  for (const Evict rule : {Evict::refcount, Evict::lru})
    EXPECT_EQ(policy::descend(rule, leaving, 99, &later_dirty), Descent::home) << "it may be needed next";
}

}  // namespace
}  // namespace weir::data::engine
