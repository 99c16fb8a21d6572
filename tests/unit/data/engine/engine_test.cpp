// SPDX-License-Identifier: Apache-2.0

// Engine step by step: states, whole footprints or nothing, looking ahead, failures.
#include "data/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using enum RequestState;

const base::Status kBroken{base::Code::io_error, "the disk is broken"};

INSTANTIATE_TEST_SUITE_P(Tiers, EngineOfThirds, testing::Values(kSlow, kFile),
                         [](const auto& test) { return test.param == kSlow ? "memory" : "file"; });

TEST_P(EngineOfThirds, WritesBackWhatIsDirtyAndFetchesItAgain) {
  EXPECT_EQ(EngineBench::state_of(a()), ReplicaState::absent);
  EXPECT_TRUE(a().home.current);
  EXPECT_EQ(EngineBench::state_of(d()), ReplicaState::dirty);
  EXPECT_FALSE(d().home.current);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
  bench_.check_invariants();
}

TEST_P(EngineOfThirds, DropsWhatIsCleanWithoutWritingIt) {
  EXPECT_EQ(bench_.read(a()), 1u);
  bench_.land_all();
  const auto written = bench_.engine.counters().bytes_written_back;
  for (int i = 0; i < 8; ++i) bench_.read(*blocks_[i % 4]);
  bench_.land_all();
  EXPECT_LE(bench_.engine.counters().bytes_written_back, written + 3 * kThird);
  const auto settled = bench_.engine.counters().bytes_written_back;
  for (int i = 0; i < 8; ++i) bench_.read(*blocks_[i % 4]);
  EXPECT_EQ(bench_.engine.counters().bytes_written_back, settled);
}

TEST_P(EngineOfThirds, FetchesNothingThatATaskOverwrites) {
  const auto fetched = bench_.engine.counters().bytes_fetched;
  EXPECT_TRUE(bench_.run("overwrite", {{&a(), Mode::out}}, 9));
  EXPECT_EQ(bench_.engine.counters().bytes_fetched, fetched);
  bench_.land_all();
  EXPECT_EQ(bench_.read(a()), 9u);
}

TEST_P(EngineOfThirds, GivesATaskItsWholeFootprintOrNothing) {
  BenchTask& holder = bench_.spawn("holder", {{&b(), Mode::in}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  ASSERT_EQ(holder.request.state(), held);
  BenchTask& waiter = bench_.spawn("waiter", {{&a(), Mode::in}, {&d(), Mode::in}});
  EXPECT_FALSE(bench_.ready(waiter));
  bench_.land_all();
  EXPECT_EQ(waiter.request.state(), waiting);
  for (const Block* block : {&a(), &d()}) {
    for (const Replica* r = block->replicas; r != nullptr; r = r->next) EXPECT_EQ(r->pins, 0u);
  }
  bench_.finish(holder);
  bench_.land_all();
  EXPECT_EQ(waiter.request.state(), held);
  EXPECT_THAT(bench_.staged, testing::Contains(&waiter.request));
  bench_.finish(waiter);
}

TEST_P(EngineOfThirds, KeepsADrainingBlockThatIsWantedAgain) {
  BenchTask& first = bench_.spawn("first", {{&a(), Mode::in}});  // displaces the oldest, b
  bench_.ready(first);
  ASSERT_EQ(EngineBench::state_of(b()), ReplicaState::draining);
  BenchTask& reader = bench_.spawn("reader", {{&b(), Mode::in}}, 0, 0);
  bench_.ready(reader);
  EXPECT_TRUE(reader.request.state() == held || reader.request.state() == waiting);
  const bool at_once = reader.request.state() == held;
  if (at_once) {
    EXPECT_EQ(bench_.contents(reader.request.uses()[0]), 2u);
  }
  bench_.land_all();
  EXPECT_EQ(reader.request.state(), held);
  EXPECT_EQ(bench_.contents(reader.request.uses()[0]), 2u);
  bench_.finish(reader);
  bench_.land_all();
  if (first.request.state() == waiting) bench_.end_stall();
  bench_.land_all();
  bench_.finish(first);
}

TEST_P(EngineOfThirds, LetsAWriterWaitForTheEndOfAWriteBack) {
  BenchTask& first = bench_.spawn("first", {{&a(), Mode::in}});
  bench_.ready(first);
  ASSERT_EQ(EngineBench::state_of(b()), ReplicaState::draining);
  BenchTask& writer = bench_.spawn("writer", {{&b(), Mode::inout}});
  EXPECT_FALSE(bench_.ready(writer));
  EXPECT_NE(writer.request.state(), held);
  bench_.land_all();
  while (writer.request.state() != held) bench_.end_stall(), bench_.land_all();
  bench_.contents(writer.request.uses()[0]) = 22;
  bench_.finish(writer);
  bench_.land_all();
  if (first.request.state() != held) bench_.end_stall(), bench_.land_all();
  bench_.finish(first);
  EXPECT_EQ(bench_.read(b()), 22u);
}

TEST_P(EngineOfThirds, FailsOnlyTheTaskWhoseFetchFails) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (task.request.state() == waiting) bench_.land();
  ASSERT_EQ(task.request.state(), staging);
  bench_.land_of(a(), kBroken);
  EXPECT_EQ(task.request.state(), failed);
  EXPECT_THAT(task.request.failure.message, HasSubstr("broken"));
  bench_.finish(task);
  EXPECT_EQ(EngineBench::state_of(a()), ReplicaState::absent);
  bench_.check_invariants();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(EngineOfThirds, FailsATaskOnceWhenTwoOfItsFetchesFail) {
  bench_.read(d());
  bench_.staged.clear();
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(task);
  while (task.request.state() == waiting) bench_.land();
  while (task.request.state() == staging) bench_.land(0, kBroken);
  EXPECT_EQ(task.request.state(), failed);
  EXPECT_EQ(std::count(bench_.staged.begin(), bench_.staged.end(), &task.request), 1);
  bench_.finish(task);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(EngineOfThirds, LosesNothingWhenAWriteBackFails) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  ASSERT_EQ(EngineBench::state_of(b()), ReplicaState::draining);
  bench_.land_of(b(), kBroken);
  EXPECT_EQ(EngineBench::state_of(b()), ReplicaState::dirty);
  bench_.land_all();  // another one leaves instead
  EXPECT_EQ(task.request.state(), held);
  bench_.finish(task);
  EXPECT_THAT(bench_.warnings, SizeIs(1));
  EXPECT_EQ(bench_.read(b()), 2u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(EngineOfThirds, FailsTheWaitingTaskWhenNothingCanBeWrittenAndTriesAgainForTheNext) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (!bench_.flying.empty()) bench_.land(0, kBroken);
  EXPECT_EQ(task.request.state(), waiting);
  bench_.end_stall();
  if (GetParam() == std::string(kFile)) {
    EXPECT_EQ(task.request.state(), failed);
    EXPECT_THAT(task.request.failure.message, HasSubstr("broken"));
    EXPECT_THAT(task.request.failure.message, HasSubstr("\"task\""));
  } else {
    EXPECT_EQ(task.request.state(), held);
  }
  bench_.finish(task);
  bench_.land_all();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
  bench_.land_all();
}

TEST_P(EngineOfThirds, AdmitsAWaitingTaskWhenABlockIsDestroyed) {
  BenchTask& holder = bench_.spawn("holder", {{&b(), Mode::in}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (!bench_.flying.empty()) bench_.land(0, kBroken);  // d cannot be written
  ASSERT_EQ(task.request.state(), waiting);
  bench_.destroy(d());
  bench_.land_all();
  EXPECT_EQ(task.request.state(), held);
  bench_.finish(task);
  bench_.finish(holder);
}

TEST_P(EngineOfThirds, NeverHoldsWhatACancelledTaskNamed) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::inout}, {&b(), Mode::in}});
  bench_.engine.begin(task.request);  // as a worker does before it sees that the scope has failed
  bench_.finish(task);
  EXPECT_FALSE(bench_.engine.has_queued());
  EXPECT_EQ(bench_.engine.waiting(), 0u);
  bench_.check_invariants();
}

TEST_P(EngineOfThirds, CountsATaskThatNeverBeganAsQueuedUntilItEnds) {
  BenchTask& task = bench_.spawn("task", {{&d(), Mode::in}});
  EXPECT_TRUE(bench_.ready(task));
  EXPECT_TRUE(bench_.engine.has_queued());
  bench_.finish(task);
  EXPECT_FALSE(bench_.engine.has_queued());
}

TEST_P(EngineOfThirds, TakesABlockNamedTwiceAsOneUseOfTheStrongerMode) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}, {&b(), Mode::in}, {&a(), Mode::out}});
  ASSERT_THAT(task.request.uses(), SizeIs(2));
  EXPECT_EQ(task.request.uses()[0].mode, Mode::inout);
  EXPECT_FALSE(task.request.uses()[0].fresh);
  bench_.ready(task);
  bench_.land_all();
  ASSERT_EQ(task.request.state(), held);
  EXPECT_EQ(bench_.contents(task.request.uses()[0]), 1u);
  bench_.finish(task);
}

TEST(Engine, ChargesATaskOnceForWhatItUsesInPlaceHoweverOftenItTried) {
  EngineBench bench(kSlow, with(Strategy::single));
  Block& x = bench.make("x", 2 * kThird);
  Block& y = bench.make("y", 2 * kThird);
  Block& a = bench.make("a", 2 * kThird);
  Block& b = bench.make("b", 2 * kThird);
  bench.track();
  ASSERT_TRUE(bench.run("x", {{&x, Mode::out}}, 1));
  ASSERT_TRUE(bench.run("a", {{&a, Mode::out}}, 2));
  bench.land_all();
  BenchTask& holder = bench.spawn("holder", {{&a, Mode::in}});
  ASSERT_TRUE(bench.ready(holder));
  BenchTask& in_place = bench.spawn("in place", {{&x, Mode::in}, {&y, Mode::out}});
  bench.ready(in_place);
  ASSERT_EQ(in_place.request.state(), held);
  EXPECT_EQ(in_place.request.in_place_bytes, 4 * kThird);
  BenchTask& waiter = bench.spawn("waiter", {{&x, Mode::in}, {&b, Mode::in}});
  ASSERT_FALSE(bench.ready(waiter));
  for (int i = 0; i < 3; ++i) bench.advance();
  if (waiter.request.state() == waiting) {
    bench.finish(holder);
    bench.land_all();
    ASSERT_EQ(waiter.request.state(), held);
    EXPECT_EQ(waiter.request.in_place_bytes, 2 * kThird);
  } else {
    bench.finish(holder);
  }
  bench.finish(waiter);
  bench.finish(in_place);
}

TEST(Engine, AsksAgainForAPrefetchThatFailedOnlyWhenATaskIsReady) {
  EngineBench bench(kFile, with(Strategy::ahead));
  Block* blocks[4];
  for (Block*& b : blocks) b = &bench.make("b", kThird);
  bench.track();
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(bench.run("w", {{blocks[i], Mode::out}}, i + 1));
  bench.land_all();
  const auto out = std::find_if(std::begin(blocks), std::end(blocks), [](Block* b) { return b->replicas == nullptr; });
  ASSERT_NE(out, std::end(blocks));
  BenchTask& later = bench.spawn("later", {{*out, Mode::in}});
  bench.advance();
  int failures = 0;
  while (!bench.flying.empty() && failures < 10) {
    const bool fetch = bench.flying[0].transfer->kind == Transfer::Kind::fetch;
    failures += fetch ? 1 : 0;
    bench.land(0, fetch ? kBroken : base::Status::success());
  }
  EXPECT_EQ(failures, 1);
  bench.ready(later);
  bench.land_all();
  ASSERT_EQ(later.request.state(), held);
  EXPECT_EQ(bench.contents(later.request.uses()[0]), std::uint64_t(out - blocks) + 1);
  bench.finish(later);
}

TEST(Engine, BringsInAheadWhatPendingTasksReadAndDisplacesWhatIsNeededLater) {
  EngineBench bench(kSlow, with(Strategy::ahead));
  Block* blocks[5];
  for (Block*& b : blocks) b = &bench.make("b", kThird);
  bench.track();
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(bench.run("w", {{blocks[i], Mode::out}}, i + 1));
  bench.land_all();
  BenchTask& gate = bench.spawn("gate", {{blocks[4], Mode::inout}});
  bench.ready(gate);
  bench.land_all();
  ASSERT_EQ(gate.request.state(), held);
  std::vector<BenchTask*> tasks;
  for (int i : {0, 1, 2}) tasks.push_back(&bench.spawn("later", {{blocks[4], Mode::in}, {blocks[i], Mode::in}}));
  bench.advance();
  bench.land_all();
  EXPECT_NE(EngineBench::state_of(*blocks[0]), ReplicaState::absent);
  EXPECT_EQ(EngineBench::state_of(*blocks[2]), ReplicaState::absent) << "it would displace what is needed sooner";
  EXPECT_EQ(blocks[0]->replicas->pins, 0u);
  bench.contents(gate.request.uses()[0]) = 50;
  bench.finish(gate);
  bench.land_all();
  for (BenchTask* task : tasks) {
    if (task->request.state() == pending) bench.ready(*task);
    bench.land_all();
    ASSERT_EQ(task->request.state(), held);
    EXPECT_EQ(bench.contents(task->request.uses()[0]), 50u);
    bench.finish(*task);
  }
  bench.check_invariants();
}

TEST(Engine, DisplacesWhatItBroughtInAheadForATaskThatIsReady) {
  EngineBench bench(kSlow, with(Strategy::ahead));
  Block* blocks[5];
  for (Block*& b : blocks) b = &bench.make("b", kThird);
  bench.track();
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(bench.run("w", {{blocks[i], Mode::out}}, i + 1));
  bench.land_all();
  std::vector<BenchTask*> later;
  for (int i : {0, 1, 2}) later.push_back(&bench.spawn("later", {{blocks[i], Mode::in}}));
  bench.advance();
  bench.land_all();
  BenchTask& urgent = bench.spawn("urgent", {{blocks[3], Mode::in}, {blocks[4], Mode::in}});
  bench.ready(urgent);
  bench.land_all();
  ASSERT_EQ(urgent.request.state(), held);
  EXPECT_EQ(bench.contents(urgent.request.uses()[0]), 4u);
  bench.finish(urgent);
  for (std::size_t i = 0; i < 3; ++i) {
    bench.ready(*later[i]);
    bench.land_all();
    ASSERT_EQ(later[i]->request.state(), held);
    EXPECT_EQ(bench.contents(later[i]->request.uses()[0]), i + 1);
    bench.finish(*later[i]);
  }
}

// Equal runs move equal blocks: a simulation has its replicas elsewhere in memory.
TEST(Engine, LetsTheNewestOfEqualBlocksLeaveWhereverTheirReplicasLie) {
  EngineBench bench(kSlow, with(Strategy::single, Evict::next_use));
  std::map<std::string, Block*> blocks;
  for (const char* const name : {"a", "b", "c", "d", "e"}) blocks[name] = &bench.make(name, kThird);
  bench.track();
  bench.destroy(*blocks["a"]);
  ASSERT_TRUE(bench.run("takes the replica that a had", {{blocks["d"], Mode::out}}));
  ASSERT_TRUE(bench.run("needs room", {{blocks["e"], Mode::out}}));
  EXPECT_EQ(EngineBench::state_of(*blocks["b"]), ReplicaState::dirty);
  EXPECT_EQ(EngineBench::state_of(*blocks["c"]), ReplicaState::dirty);
  EXPECT_EQ(EngineBench::state_of(*blocks["d"]), ReplicaState::absent);
}

TEST(Engine, FitsATaskIntoAnEmptyTierWhereverItsSmallBlockLay) {
  EngineBench bench(kSlow, with(Strategy::ahead));
  Block* const first = &bench.make("first", 300 * kKiB);
  Block* const small = &bench.make("small", 64);
  Block* const large[] = {&bench.make("large", 390 * kKiB), &bench.make("large", 390 * kKiB)};
  bench.track();
  for (Block* const block : {first, small, large[0], large[1]}) {
    ASSERT_TRUE(bench.run("w", {{block, Mode::out}}, 1));
    bench.land_all();
  }
  BenchTask& task = bench.spawn("task", {{small, Mode::in}, {large[0], Mode::in}, {large[1], Mode::in}});
  bench.ready(task);
  bench.land_all();
  EXPECT_EQ(task.request.state(), held) << "the page of the small block splits the tier in two";
  bench.finish(task);
}

// `wanted` is in slow memory; `sooner` and `later` lie between holes that together would do for it, and have readers.
struct Pieces {
  explicit Pieces(Strategy strategy) : bench(kSlow, with(strategy)) {
    Block* const small[] = {&bench.make("small", 180 * kKiB), &bench.make("small", 180 * kKiB)};
    bench.track();
    EXPECT_TRUE(bench.run("w", {{&wanted, Mode::out}}, 1));
    EXPECT_TRUE(
        bench.run("w", {{small[0], Mode::out}, {&sooner, Mode::out}, {small[1], Mode::out}, {&later, Mode::out}}, 2));
    bench.land_all();
    for (Block* const block : small) bench.destroy(*block);
    EXPECT_EQ(bench.state_of(wanted), ReplicaState::absent);
    EXPECT_GE(bench.arena().budget() - bench.arena().used(), wanted.size);
    EXPECT_LT(bench.arena().largest_free(), wanted.size);
    task = &bench.spawn("task", {{&wanted, Mode::in}});
    for (Block* const block : {&sooner, &later}) readers.push_back(&bench.spawn("reader", {{block, Mode::in}}));
  }
  void end() {
    bench.finish(*task);
    for (BenchTask* const reader : readers) {
      bench.ready(*reader);
      bench.land_all();
      bench.finish(*reader);
    }
  }

  EngineBench bench;
  Block& wanted = bench.make("wanted", 300 * kKiB);
  Block& sooner = bench.make("sooner", 300 * kKiB);
  Block& later = bench.make("later", 300 * kKiB);
  BenchTask* task = nullptr;
  std::vector<BenchTask*> readers;
};

TEST(EngineInPieces, OneBlockLeavesForAReadyTask) {
  Pieces pieces(Strategy::single);
  pieces.bench.ready(*pieces.task);
  pieces.bench.land_all();
  EXPECT_EQ(pieces.task->request.state(), held);
  EXPECT_EQ(pieces.bench.state_of(pieces.sooner), ReplicaState::dirty) << "it left in vain";
  EXPECT_EQ(pieces.bench.state_of(pieces.later), ReplicaState::absent);
  pieces.end();
}

TEST(EngineInPieces, OneBlockLeavesForWhatComesEarly) {
  Pieces pieces(Strategy::ahead);
  for (int i = 0; i < 3; ++i) pieces.bench.advance();
  ASSERT_EQ(pieces.bench.flying.size(), 1u) << "one at a time";
  pieces.bench.land_all();
  EXPECT_EQ(pieces.bench.state_of(pieces.wanted), ReplicaState::clean);
  EXPECT_EQ(pieces.bench.state_of(pieces.sooner), ReplicaState::dirty);
  EXPECT_EQ(pieces.bench.state_of(pieces.later), ReplicaState::absent);
  EXPECT_TRUE(pieces.bench.ready(*pieces.task));
  pieces.end();
}

TEST(Engine, StaysOutOfTheWayUntilABlockDoesNotFitAnyMore) {
  EngineBench bench(kSlow);
  Block& a = bench.make("a", kThird);
  bench.make("b", kThird);
  bench.make("c", kThird);
  EXPECT_FALSE(bench.engine.tracked());
  ASSERT_TRUE(Replicas::only_place(a));
  bench.contents(*a.replicas) = 77;
  bench.make("d", kThird);
  EXPECT_TRUE(bench.engine.tracked());
  EXPECT_TRUE(bench.engine.untracked_may_run());
  BenchTask& task = bench.spawn("task", {{bench.blocks()[3].get(), Mode::out}});
  EXPECT_FALSE(bench.ready(task)) << "tasks that are not tracked may use all there is";
  bench.track();
  bench.land_all();
  EXPECT_EQ(task.request.state(), held);
  bench.finish(task);
  EXPECT_EQ(bench.read(a), 77u);
}

// ---- Adopted memory ----

TEST(EngineOfAdoptedMemory, LeavesABlockThatIsFlushedAloneUntilItIsWritten) {
  EngineBench bench(knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", with(Strategy::single, Evict::lru));
  Block block;
  block.name = "mine";
  block.size = 1 * kMiB;
  block.home.kind = Home::Kind::program;
  ASSERT_TRUE(bench.engine.add(block));
  ASSERT_TRUE(bench.engine.tracked());
  ASSERT_TRUE(bench.run("write", {{&block, Mode::inout}}, 42));
  ASSERT_TRUE(bench.flush(block));
  std::vector<Block*> others;
  for (int i = 0; i < 8; ++i) {  // make all else leave
    others.push_back(&bench.make("other", 512 * kKiB));
    BenchTask& task = bench.spawn("other", {{others.back(), Mode::out}});
    bench.ready(task);
    while (task.request.state() != held) bench.land(bench.flying.size() - 1);
    bench.finish(task);
  }
  bench.land_all();
  EXPECT_EQ(bench.home_contents(block), 42u);
  Actions actions;
  bench.engine.remove(block, actions);
}

}  // namespace
}  // namespace weir::data::engine
