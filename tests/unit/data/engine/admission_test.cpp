// SPDX-License-Identifier: Apache-2.0

// Admission step by step: who gets room, in which order, and what becomes of those that cannot have any.
#include "data/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using enum RequestState;

TEST_P(EngineOfThirds, LetsChildrenUseWhatTheirParentHolds) {
  BenchTask& parent = bench_.spawn("parent", {{&a(), Mode::inout}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(parent);
  bench_.land_all();
  ASSERT_EQ(parent.request.state(), held);
  bench_.engine.begin(parent.request);
  BenchTask& other = bench_.spawn("other", {{&d(), Mode::in}});  // waits: the parent holds all there is
  EXPECT_FALSE(bench_.ready(other));
  for (int i = 0; i < 100; ++i) {
    BenchTask& child = bench_.spawn("child", {{&a(), Mode::inout}, {&b(), Mode::in}}, 0, 0, &parent);
    EXPECT_TRUE(bench_.ready(child));
    bench_.engine.begin(child.request);
    bench_.contents(child.request.uses()[0]) = 100u + unsigned(i);
    bench_.finish(child);
  }
  EXPECT_EQ(other.request.state(), waiting);
  bench_.finish(parent);
  bench_.land_all();
  EXPECT_EQ(other.request.state(), held);
  bench_.finish(other);
  EXPECT_EQ(bench_.read(a()), 199u);
}

TEST_P(EngineOfThirds, HelpsTheFirstThatWaitsWhenNothingElseCanHappen) {
  BenchTask& holder = bench_.spawn("holder", {{&a(), Mode::inout}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  bench_.engine.begin(holder.request);
  BenchTask& task = bench_.spawn("task", {{&d(), Mode::inout}});  // for which the holder waits, as nobody can know
  EXPECT_FALSE(bench_.ready(task));
  EXPECT_TRUE(bench_.engine.waits_for_tasks());
  EXPECT_THAT(describe_waiting(bench_.engine), testing::ElementsAre(HasSubstr("\"task\"")));
  bench_.end_stall();
  ASSERT_EQ(task.request.state(), held);
  EXPECT_EQ(bench_.contents(task.request.uses()[0]), 4u);
  bench_.contents(task.request.uses()[0]) = 44;
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 1u);
  const bool file = GetParam() == std::string(kFile);
  EXPECT_EQ(task.request.in_place_bytes, file ? 0 : kThird);
  EXPECT_THAT(bench_.warnings, testing::ElementsAre(HasSubstr(file ? "page cache" : "slow memory")));
  bench_.finish(task);
  bench_.finish(holder);
  EXPECT_EQ(bench_.read(d()), 44u);
}

// ---- Tasks within tasks that want more than those hold ----

TEST_P(EngineOfThirds, TellsATaskAtOnceThatItCannotFitBesideThoseAroundIt) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}, {&b(), Mode::in}});
  bench_.ready(outer);
  bench_.land_all();
  BenchTask& middle = bench_.spawn("middle", {{&b(), Mode::in}}, 0, 0, &outer);
  EXPECT_TRUE(bench_.ready(middle));
  BenchTask& inner = bench_.spawn("inner", {{&b(), Mode::in}, {&c(), Mode::in}, {&d(), Mode::inout}}, 0, 0, &middle);
  bench_.ready(inner);
  bench_.land_all();
  if (GetParam() == std::string(kFile)) {
    ASSERT_EQ(inner.request.state(), failed);
    EXPECT_THAT(
        inner.request.failure.message,
        HasSubstr("task \"inner\" needs 960 KiB of blocks in tier memory at the same time, 640 KiB of them "
                  "in addition to 640 KiB that the tasks it was made in hold until it has ended (the nearest is "
                  "\"middle\"), which can give 1 MiB"));
    EXPECT_THAT(inner.request.failure.message, HasSubstr("--tiers"));
    EXPECT_EQ(bench_.engine.counters().failures, 1u);
  } else {
    ASSERT_EQ(inner.request.state(), held);
    EXPECT_EQ(bench_.engine.counters().in_place_runs, 1u);
  }
  for (BenchTask* const task : {&inner, &middle, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, GivesRoomToATaskWithinATaskBeforeAllOthers) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}});
  BenchTask& other = bench_.spawn("other", {{&b(), Mode::inout}, {&c(), Mode::inout}});
  for (BenchTask* const task : {&outer, &other}) {
    bench_.ready(*task);
    bench_.land_all();
    ASSERT_TRUE(bench_.engine.begin(task->request));
  }
  BenchTask& root = bench_.spawn("root", {{&d(), Mode::in}});
  EXPECT_FALSE(bench_.ready(root));
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}, {&c(), Mode::in}}, 0, 0, &outer);
  EXPECT_FALSE(bench_.ready(inner));
  EXPECT_EQ(inner.request.state(), waiting);
  bench_.finish(other);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  bench_.finish(inner);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), held);
  bench_.finish(root);
  bench_.finish(outer);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 0u);
}

TEST_P(EngineOfThirds, TakesRoomFromThoseThatHaveNotBegunForATaskWithinATask) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}});
  BenchTask& other = bench_.spawn("other", {{&b(), Mode::inout}, {&c(), Mode::inout}});
  for (BenchTask* const task : {&outer, &other}) {
    task->request.revocable = true;
    bench_.ready(*task);
    bench_.land_all();
    ASSERT_EQ(task->request.state(), held);
  }
  ASSERT_TRUE(bench_.engine.begin(outer.request));
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}}, 0, 0, &outer);
  bench_.ready(inner);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  EXPECT_EQ(other.request.state(), waiting);
  EXPECT_FALSE(bench_.engine.begin(other.request));
  EXPECT_FALSE(bench_.engine.try_begin(other.request));
  bench_.finish(inner);
  bench_.finish(outer);
  bench_.land_all();
  EXPECT_EQ(other.request.state(), held);
  EXPECT_TRUE(bench_.engine.begin(other.request));
  bench_.finish(other);
}

TEST_P(EngineOfThirds, TakesThatRoomFromTheOneSpawnedLast) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& earlier = held_until_begun("earlier", {{&b(), Mode::inout}});
  BenchTask& later = held_until_begun("later", {{&c(), Mode::inout}});
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}}, 0, 0, &outer);
  bench_.ready(inner);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  EXPECT_EQ(earlier.request.state(), held);
  EXPECT_EQ(later.request.state(), waiting);
  for (BenchTask* const task : {&inner, &later, &earlier, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, TakesNoRoomFromOthersWhileSomeIsOnItsWay) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& other = held_until_begun("other", {{&b(), Mode::inout}});
  ASSERT_EQ(EngineBench::state_of(d()), ReplicaState::dirty);
  BenchTask& inner = bench_.spawn("inner", {{&bench_.make("e", kThird), Mode::out}}, 0, 0, &outer);
  EXPECT_FALSE(bench_.ready(inner));
  EXPECT_EQ(EngineBench::state_of(d()), ReplicaState::draining);
  EXPECT_EQ(other.request.state(), held);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  for (BenchTask* const task : {&inner, &other, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, TakesNoRoomFromOneWithinATaskForAnother) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& first = held_until_begun("first", {{&b(), Mode::inout}}, &outer);
  BenchTask& second = bench_.spawn("second", {{&c(), Mode::in}, {&d(), Mode::in}}, 0, 0, &outer);
  EXPECT_FALSE(bench_.ready(second));
  bench_.land_all();
  EXPECT_EQ(first.request.state(), held);
  EXPECT_EQ(second.request.state(), waiting);
  bench_.finish(first);
  bench_.land_all();
  EXPECT_EQ(second.request.state(), held);
  for (BenchTask* const task : {&second, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, GivesRoomToTheInnermostFirst) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& middle = begun("middle", {{&a(), Mode::inout}}, &outer);
  BenchTask* holders[] = {&begun("holder", {{&b(), Mode::inout}}), &begun("holder", {{&c(), Mode::inout}})};
  BenchTask& shallow = bench_.spawn("shallow", {{&d(), Mode::inout}}, 0, 0, &outer);
  BenchTask& deep = bench_.spawn("deep", {{&bench_.make("e", kThird), Mode::out}}, 0, 0, &middle);
  for (BenchTask* const task : {&shallow, &deep}) EXPECT_FALSE(bench_.ready(*task));
  bench_.finish(*holders[0]);
  bench_.land_all();
  EXPECT_EQ(deep.request.state(), held);
  EXPECT_EQ(shallow.request.state(), waiting);
  bench_.finish(*holders[1]);
  bench_.land_all();
  EXPECT_EQ(shallow.request.state(), held);
  for (BenchTask* const task : {&deep, &shallow, &middle, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, LetsNobodyTakeWhatATaskWithinATaskWaitsFor) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask* holders[] = {&begun("holder", {{&b(), Mode::inout}}), &begun("holder", {{&c(), Mode::inout}})};
  BenchTask& root = bench_.spawn("root", {{&bench_.make("e", kThird), Mode::out}});
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::in}, {&bench_.make("f", kThird), Mode::out}}, 0, 0, &outer);
  for (BenchTask* const task : {&root, &inner}) EXPECT_FALSE(bench_.ready(*task));
  bench_.finish(*holders[0]);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), waiting) << "it fits, and the other does not";
  bench_.finish(*holders[1]);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  EXPECT_EQ(root.request.state(), waiting);
  bench_.finish(inner);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), held);
  for (BenchTask* const task : {&root, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, LetsTasksPassOneWithinATaskOnlySoOften) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& holder = begun("holder", {{&b(), Mode::in}, {&c(), Mode::in}});
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}}, 0, 0, &outer);
  EXPECT_FALSE(bench_.ready(inner));
  BenchTask* last = nullptr;
  std::uint32_t passed = 0;
  for (; last == nullptr && passed < 1000; ++passed) {
    BenchTask& root = bench_.spawn("root", {{&b(), Mode::in}});
    if (!bench_.ready(root)) last = &root;
    if (last == nullptr) bench_.finish(root);
  }
  EXPECT_EQ(passed, policy::kMostPassesPerWorker + 1);
  bench_.finish(holder);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  EXPECT_EQ(last->request.state(), held);
  for (BenchTask* const task : {last, &inner, &outer}) bench_.finish(*task);
}

TEST_P(EngineOfThirds, TriesOthersInAStandstillBeforeTheFirstHasToDoWithoutRoom) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& other = begun("other", {{&b(), Mode::inout}});
  BenchTask& inner = bench_.spawn("inner", {{&c(), Mode::in}, {&d(), Mode::in}}, 0, 0, &outer);
  BenchTask& root = bench_.spawn("root", {{&bench_.make("e", kThird), Mode::out}});
  for (BenchTask* const task : {&inner, &root}) EXPECT_FALSE(bench_.ready(*task));
  bench_.land_all();
  EXPECT_EQ(root.request.state(), waiting);
  bench_.end_stall();  // one block leaves
  bench_.land_all();
  bench_.end_stall();
  EXPECT_EQ(root.request.state(), held);
  EXPECT_EQ(inner.request.state(), waiting);
  bench_.finish(root);
  bench_.finish(other);
  bench_.land_all();
  EXPECT_EQ(inner.request.state(), held);
  for (BenchTask* const task : {&inner, &outer}) bench_.finish(*task);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 0u);
}

TEST_P(EngineOfThirds, TakesBackWhatWasToEndAStandstillWhenNobodyCanBeginIt) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& other = begun("other", {{&b(), Mode::inout}});
  BenchTask& large = bench_.spawn("large", {{&c(), Mode::in}, {&d(), Mode::in}}, 0, 0, &outer);
  BenchTask& root = bench_.spawn("root", {{&bench_.make("e", kThird), Mode::out}});
  root.request.revocable = true;
  for (BenchTask* const task : {&large, &root}) EXPECT_FALSE(bench_.ready(*task));
  for (int i = 0; i < 2; ++i) bench_.end_stall(), bench_.land_all();
  ASSERT_EQ(root.request.state(), held);
  BenchTask& small = bench_.spawn("small", {{&d(), Mode::in}}, 0, 0, &other);
  EXPECT_FALSE(bench_.ready(small));

  bench_.end_stall(false);
  EXPECT_EQ(root.request.state(), held) << "some worker will begin it";
  bench_.end_stall(true);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), waiting);
  EXPECT_EQ(small.request.state(), held);
  EXPECT_EQ(large.request.state(), waiting);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 0u);
  bench_.finish(small);
  bench_.land_all();
  bench_.end_stall(true);
  EXPECT_EQ(root.request.state(), waiting) << "nobody could begin it";
  EXPECT_EQ(large.request.state(), held);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 1u);

  for (BenchTask* const task : {&large, &outer, &other}) bench_.finish(*task);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), held);
  bench_.finish(root);
}

TEST_P(EngineOfThirds, EndsAStandstillWithTheInnermostOfAllThatWait) {
  BenchTask& outer = begun("outer", {{&a(), Mode::inout}});
  BenchTask& middle = begun("middle", {{&a(), Mode::inout}}, &outer);
  BenchTask& other = begun("other", {{&b(), Mode::inout}, {&c(), Mode::inout}});
  BenchTask& root = bench_.spawn("root", {{&d(), Mode::in}});
  BenchTask& shallow = bench_.spawn("shallow", {{&d(), Mode::in}}, 0, 0, &outer);
  BenchTask& deep = bench_.spawn("deep", {{&bench_.make("e", kThird), Mode::out}}, 0, 0, &middle);
  for (BenchTask* const task : {&root, &shallow, &deep}) EXPECT_FALSE(bench_.ready(*task));
  for (BenchTask* const next : {&deep, &shallow}) {
    bench_.end_stall();
    ASSERT_TRUE(bench_.engine.begin(next->request));
    EXPECT_EQ(root.request.state(), waiting);
    EXPECT_EQ(shallow.request.state() == waiting, next == &deep);
  }
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 2u);
  for (BenchTask* const task : {&deep, &shallow, &middle, &outer, &other}) bench_.finish(*task);
  bench_.land_all();
  EXPECT_EQ(root.request.state(), held);
  bench_.finish(root);
}

TEST_P(EngineOfThirds, FailsNoTaskThatFitsWhereTheTasksAroundSeveralHoldWhatEachOfThemWants) {
  BenchTask *outer[2], *inner[2];
  for (int i : {0, 1}) {
    outer[i] = &bench_.spawn("outer", {{blocks_[i], Mode::inout}});
    bench_.ready(*outer[i]);
    bench_.land_all();
    ASSERT_TRUE(bench_.engine.begin(outer[i]->request));
  }
  for (int i : {0, 1}) {
    inner[i] = &bench_.spawn("inner", {{&c(), Mode::in}, {&d(), Mode::in}}, 0, 0, outer[i]);
    EXPECT_FALSE(bench_.ready(*inner[i]));
  }
  bench_.land_all();
  bench_.end_stall();
  bench_.land_all();
  EXPECT_EQ(inner[0]->request.state(), held);
  for (std::size_t i : {0, 1}) EXPECT_EQ(bench_.contents(inner[0]->request.uses()[i]), i + 3);
  bench_.finish(*inner[0]);
  bench_.finish(*outer[0]);
  bench_.land_all();
  EXPECT_EQ(inner[1]->request.state(), held);
  bench_.finish(*inner[1]);
  bench_.finish(*outer[1]);
  EXPECT_EQ(bench_.engine.counters().failures, 0u);
  EXPECT_EQ(bench_.engine.counters().in_place_runs, 1u);
}

TEST_P(EngineOfThirds, RunsATaskThatNeverFitsInPlaceOrFailsIt) {
  const Footprint all{{&a(), Mode::in}, {&b(), Mode::inout}, {&c(), Mode::in}, {&d(), Mode::inout}};
  BenchTask& task = bench_.spawn("all", all);
  bench_.ready(task);
  bench_.land_all();
  if (GetParam() == std::string(kFile)) {
    EXPECT_EQ(task.request.state(), failed);
    EXPECT_THAT(task.request.failure.message, HasSubstr("1.25 MiB"));
  } else {
    ASSERT_EQ(task.request.state(), held);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench_.contents(task.request.uses()[i]), i + 1);
  }
  bench_.finish(task);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST(Engine, TellsATaskOfOneBlockThatOthersLiveInTheTierForEver) {
  EngineBench bench("memory=640KiB,file=/tmp:16MiB", with(Strategy::off));
  bench.make("small", 36 * kKiB);
  for (int i = 0; i < 5; ++i) bench.make("lives there", 104 * kKiB);
  Block& in_file = bench.make("in the file", 104 * kKiB);
  BenchTask& task = bench.spawn("t", {{&in_file, Mode::out}});
  bench.ready(task);
  EXPECT_EQ(task.request.failure.message,
            "task \"t\" needs 104 KiB of blocks in tier memory at the same time, which can give 84 KiB, as others "
            "live there (of its 640 KiB the strategy off keeps 80 KiB for those in the file); choose another strategy, "
            "give the tier more with --tiers or WEIR_TIERS, or make smaller blocks");
  bench.finish(task);
}

TEST(Engine, KnowsThatSmallBlocksOfManySizesDoNotFitAlthoughTheirBytesWould) {
  for (const bool one_size : {true, false}) {
    EngineBench bench(kSlow, with(Strategy::single));
    Footprint footprint{{&bench.make("large", 300 * kKiB), Mode::inout}};
    bench.make("filler", 900 * kKiB);
    expect_that_small_blocks_count(bench, footprint, one_size);
  }
}

TEST(Engine, LetsATaskThatCouldRunAtOnceQueueBehindOlderOnesInOrder) {
  EngineBench bench(kSlow, with(Strategy::ahead));
  Block* const shared = &bench.make("shared", kThird);
  for (int i = 0; i < 4; ++i) bench.make("more than fit", kThird);
  bench.track();
  ASSERT_TRUE(bench.run("w", {{shared, Mode::out}}, 7));
  bench.land_all();
  BenchTask& older = bench.spawn("older", {{shared, Mode::in}});
  BenchTask& newer = bench.spawn("newer", {{shared, Mode::in}});
  EXPECT_TRUE(bench.ready(older));
  EXPECT_FALSE(bench.ready(newer)) << "a deque would run it first";
  EXPECT_EQ(newer.request.state(), held);
  EXPECT_THAT(bench.staged, testing::ElementsAre(&newer.request));
  bench.finish(older);
  bench.finish(newer);
  EXPECT_EQ(bench.read(*shared), 7u);
}

// What is kept for those that come first in the schedule is not kept from those on whom others wait.
TEST(Engine, OwesNothingOfWhatATaskWithinATaskWantsToThoseThatWait) {
  EngineBench bench(kFile, with(Strategy::ahead));
  Block& a = bench.make("a", 2 * kThird);
  Block& b = bench.make("b", kThird);
  Block& c = bench.make("c", kThird);
  Block& small = bench.make("small", 32 * kKiB);
  bench.track();
  for (Block* const block : {&a, &b, &c}) ASSERT_TRUE(bench.run("fill", {{block, Mode::out}}, 1));
  bench.land_all();
  BenchTask& outer = bench.spawn("outer", {{&a, Mode::inout}});
  ASSERT_FALSE(bench.ready(outer));
  bench.land_all();
  ASSERT_TRUE(bench.engine.begin(outer.request));
  BenchTask& next = bench.spawn("next", {{&b, Mode::in}, {&c, Mode::in}});
  EXPECT_FALSE(bench.ready(next));
  bench.land_all();
  ASSERT_EQ(next.request.state(), waiting);
  BenchTask& inner = bench.spawn("inner", {{&small, Mode::out}}, 0, 0, &outer);
  EXPECT_TRUE(bench.ready(inner));
  for (BenchTask* const task : {&inner, &outer}) bench.finish(*task);
  bench.land_all();
  EXPECT_EQ(next.request.state(), held);
  bench.finish(next);
}

TEST(Engine, LetsTasksPassOneThatWaitsOnlySoOften) {
  EngineBench bench(kSlow, with(Strategy::single, Evict::lru));
  Block& a = bench.make("a", kThird);
  Block& b = bench.make("b", kThird);
  Block& c = bench.make("c", kThird);
  Block& d = bench.make("d", 2 * kThird);
  bench.track();
  BenchTask& holder = bench.spawn("holder", {{&a, Mode::in}, {&b, Mode::in}});
  ASSERT_TRUE(bench.ready(holder));
  ASSERT_TRUE(bench.run("c", {{&c, Mode::out}}, 3));
  BenchTask& waiter = bench.spawn("waiter", {{&d, Mode::in}});
  ASSERT_FALSE(bench.ready(waiter));
  int passed = 0;
  std::vector<BenchTask*> refused;
  for (int i = 0; i < 1000; ++i) {
    BenchTask& task = bench.spawn("short", {{&c, Mode::in}});
    if (bench.ready(task)) {
      ++passed;
      bench.finish(task);
    } else {
      refused.push_back(&task);
    }
    if (refused.size() > 3) break;
  }
  EXPECT_EQ(passed, 64);
  bench.end_stall();
  for (const BenchTask* task : refused) EXPECT_EQ(task->request.state(), held) << "nobody else can go on";
  EXPECT_EQ(waiter.request.state(), waiting);
  for (BenchTask* const task : refused) bench.finish(*task);
  bench.finish(holder);
  bench.land_all();
  EXPECT_EQ(waiter.request.state(), held);
  bench.finish(waiter);
  bench.land_all();
}

// Whoever comes next finds a block that somebody has already, or room that is too little for the one that waits.
TEST(Engine, KeepsWhatBecomesFreeForALargeTaskThatSmallOnesHavePassedOftenEnough) {
  for (const Strategy strategy : {Strategy::single, Strategy::ahead}) {
    Config config = with(strategy, Evict::lru);
    config.workers = 2;
    EngineBench bench(kSlow, config);
    Block& large = bench.make("large", 3 * kThird);
    Block* const small[] = {&bench.make("small", kThird), &bench.make("small", kThird)};
    bench.track();
    const auto start = [&](int i) {
      BenchTask& task = bench.spawn("short", {{small[i % 2], Mode::in}}, 0, i % 2);
      bench.ready(task);
      bench.land_all();
      if (task.request.state() == held) bench.engine.begin(task.request);
      return &task;
    };
    BenchTask* running = start(0);
    BenchTask& waiter = bench.spawn("waiter", {{&large, Mode::in}});
    ASSERT_FALSE(bench.ready(waiter));
    std::vector<BenchTask*> later;
    int passed = 0;
    for (; passed < 1000 && waiter.request.state() == waiting; ++passed) {  // there is always one that runs
      BenchTask* const next = start(passed + 1);
      bench.finish(*std::exchange(running, next));
      bench.land_all();
      if (running->request.has_room()) continue;
      later.push_back(running);
      break;
    }
    EXPECT_EQ(waiter.request.state(), held);
    EXPECT_LE(passed, 2 * 64);
    bench.finish(waiter);
    bench.land_all();
    ASSERT_THAT(later, SizeIs(1));
    EXPECT_EQ(later[0]->request.state(), held);
    bench.finish(*later[0]);
  }
}

// ---- Room that cannot be had ----

// What left in vain would be fetched again ahead of its task, leave again, and so on while nobody runs.
TEST(EngineWhenRoomCannotBeHad, LetsNothingLeaveInVain) {
  EngineBench bench(kSlow, with(Strategy::ahead));
  Block& later = bench.make("later", 200 * kKiB);
  Block& sooner = bench.make("sooner", 200 * kKiB);
  Block& wanted = bench.make("wanted", 400 * kKiB);
  Block& used = bench.make("used", 512 * kKiB);
  bench.track();
  ASSERT_TRUE(bench.run("fill later", {{&later, Mode::out}}, 1));
  ASSERT_TRUE(bench.run("fill sooner", {{&sooner, Mode::out}}, 2));
  ASSERT_TRUE(bench.run("fill wanted", {{&wanted, Mode::out}}, 3));
  BenchTask& runs = bench.spawn("runs", {{&used, Mode::inout}});
  BenchTask& next = bench.spawn("next", {{&used, Mode::inout}, {&sooner, Mode::in}});
  ASSERT_TRUE(bench.run("fill used", {{&used, Mode::out}}, 4));  // what is wanted leaves
  bench.land_all();
  ASSERT_EQ(EngineBench::state_of(wanted), ReplicaState::absent);
  ASSERT_EQ(EngineBench::state_of(later), ReplicaState::dirty);
  BenchTask& waiter = bench.spawn("waiter", {{&wanted, Mode::in}});
  BenchTask& last = bench.spawn("last", {{&used, Mode::inout}, {&later, Mode::in}});
  ASSERT_TRUE(bench.ready(runs));
  bench.engine.begin(runs.request);

  // 112 KiB are free, and 200 could leave that are needed after it: not enough, while the rest is needed before it.
  EXPECT_FALSE(bench.ready(waiter));
  EXPECT_EQ(waiter.request.state(), waiting);
  EXPECT_THAT(bench.flying, IsEmpty());
  EXPECT_EQ(EngineBench::state_of(later), ReplicaState::dirty);

  bench.finish(runs);
  bench.land_all();
  EXPECT_EQ(waiter.request.state(), held);
  bench.finish(waiter);
  for (BenchTask* const task : {&next, &last}) {
    task->request.cancelled = true;
    bench.finish(*task);
  }
}

}  // namespace
}  // namespace weir::data::engine
