// Residency step by step: states, whole footprints or nothing, room, failures.
#include "data/residency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "residency_bench.hpp"

namespace weir::data {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using enum RequestState;

constexpr const char* kSlow = "memory=1MiB,emulated=16MiB@0.5";
constexpr const char* kFile = "memory=1MiB,file=/tmp:16MiB";
constexpr std::size_t kThird = 320 * kKiB;  // three fit, not four

const base::Status kBroken{base::Code::io_error, "the disk is broken"};

Residency::Config with(Strategy strategy, Evict evict = Evict::next_use) {
  Residency::Config config;
  config.strategy = strategy;
  config.evict = evict;
  return config;
}

// Four blocks a, b, c, d of a third of the fast tier each, that hold 1, 2, 3, 4.
class ResidencyOfThirds : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) blocks_[i] = &bench_.make(names[i], kThird);
    bench_.track();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(bench_.run(names[i], {{blocks_[i], Mode::out}}, std::uint64_t(i) + 1));
    bench_.land_all();
  }
  Block& a() { return *blocks_[0]; }
  Block& b() { return *blocks_[1]; }
  Block& c() { return *blocks_[2]; }
  Block& d() { return *blocks_[3]; }

  ResidencyBench bench_{GetParam(), with(Strategy::single, Evict::lru)};
  Block* blocks_[4] = {};
};

INSTANTIATE_TEST_SUITE_P(Tiers, ResidencyOfThirds, testing::Values(kSlow, kFile),
                         [](const auto& test) { return test.param == kSlow ? "memory" : "file"; });

TEST_P(ResidencyOfThirds, WritesBackWhatIsDirtyAndFetchesItAgain) {
  EXPECT_EQ(ResidencyBench::state_of(a()), ReplicaState::absent);
  EXPECT_TRUE(a().home.current);
  EXPECT_EQ(ResidencyBench::state_of(d()), ReplicaState::dirty);
  EXPECT_FALSE(d().home.current);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
  bench_.check_invariants();
}

TEST_P(ResidencyOfThirds, DropsWhatIsCleanWithoutWritingIt) {
  EXPECT_EQ(bench_.read(a()), 1u);
  bench_.land_all();
  const auto written = bench_.residency.counters().bytes_written_back;
  for (int i = 0; i < 8; ++i) bench_.read(*blocks_[i % 4]);
  bench_.land_all();
  EXPECT_LE(bench_.residency.counters().bytes_written_back, written + 3 * kThird);
  const auto settled = bench_.residency.counters().bytes_written_back;
  for (int i = 0; i < 8; ++i) bench_.read(*blocks_[i % 4]);
  EXPECT_EQ(bench_.residency.counters().bytes_written_back, settled);
}

TEST_P(ResidencyOfThirds, FetchesNothingThatATaskOverwrites) {
  const auto fetched = bench_.residency.counters().bytes_fetched;
  EXPECT_TRUE(bench_.run("overwrite", {{&a(), Mode::out}}, 9));
  EXPECT_EQ(bench_.residency.counters().bytes_fetched, fetched);
  bench_.land_all();
  EXPECT_EQ(bench_.read(a()), 9u);
}

TEST_P(ResidencyOfThirds, GivesATaskItsWholeFootprintOrNothing) {
  BenchTask& holder = bench_.spawn("holder", {{&b(), Mode::in}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  ASSERT_EQ(holder.request.state, held);
  BenchTask& waiter = bench_.spawn("waiter", {{&a(), Mode::in}, {&d(), Mode::in}});
  EXPECT_FALSE(bench_.ready(waiter));
  bench_.land_all();
  EXPECT_EQ(waiter.request.state, waiting);
  for (const Block* block : {&a(), &d()}) {
    for (const Replica* r = block->replicas; r != nullptr; r = r->next) EXPECT_EQ(r->pins, 0u);
  }
  bench_.finish(holder);
  bench_.land_all();
  EXPECT_EQ(waiter.request.state, held);
  EXPECT_THAT(bench_.staged, testing::Contains(&waiter.request));
  bench_.finish(waiter);
}

TEST_P(ResidencyOfThirds, KeepsADrainingBlockThatIsWantedAgain) {
  BenchTask& first = bench_.spawn("first", {{&a(), Mode::in}});  // displaces the oldest, b
  bench_.ready(first);
  ASSERT_EQ(ResidencyBench::state_of(b()), ReplicaState::draining);
  BenchTask& reader = bench_.spawn("reader", {{&b(), Mode::in}}, 0, 0);
  bench_.ready(reader);
  EXPECT_TRUE(reader.request.state == held || reader.request.state == waiting);
  const bool at_once = reader.request.state == held;
  if (at_once) {
    EXPECT_EQ(stamp_at(reader.request.uses()[0].address), 2u);
  }
  bench_.land_all();
  EXPECT_EQ(reader.request.state, held);
  EXPECT_EQ(stamp_at(reader.request.uses()[0].address), 2u);
  bench_.finish(reader);
  bench_.land_all();
  if (first.request.state == waiting) bench_.break_standstill();
  bench_.land_all();
  bench_.finish(first);
}

TEST_P(ResidencyOfThirds, LetsAWriterWaitForTheEndOfAWriteBack) {
  BenchTask& first = bench_.spawn("first", {{&a(), Mode::in}});
  bench_.ready(first);
  ASSERT_EQ(ResidencyBench::state_of(b()), ReplicaState::draining);
  BenchTask& writer = bench_.spawn("writer", {{&b(), Mode::inout}});
  EXPECT_FALSE(bench_.ready(writer));
  EXPECT_NE(writer.request.state, held);
  bench_.land_all();
  while (writer.request.state != held) bench_.break_standstill(), bench_.land_all();
  put_stamp(writer.request.uses()[0].address, 22);
  bench_.finish(writer);
  bench_.land_all();
  if (first.request.state != held) bench_.break_standstill(), bench_.land_all();
  bench_.finish(first);
  EXPECT_EQ(bench_.read(b()), 22u);
}

TEST_P(ResidencyOfThirds, FailsOnlyTheTaskWhoseFetchFails) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (task.request.state == waiting) bench_.land();
  ASSERT_EQ(task.request.state, staging);
  bench_.land_of(a(), kBroken);
  EXPECT_EQ(task.request.state, failed);
  EXPECT_THAT(task.request.failure.message, HasSubstr("broken"));
  bench_.finish(task);
  EXPECT_EQ(ResidencyBench::state_of(a()), ReplicaState::absent);
  bench_.check_invariants();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(ResidencyOfThirds, FailsATaskOnceWhenTwoOfItsFetchesFail) {
  bench_.read(d());
  bench_.staged.clear();
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(task);
  while (task.request.state == waiting) bench_.land();
  while (task.request.state == staging) bench_.land(0, kBroken);
  EXPECT_EQ(task.request.state, failed);
  EXPECT_EQ(std::count(bench_.staged.begin(), bench_.staged.end(), &task.request), 1);
  bench_.finish(task);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(ResidencyOfThirds, LosesNothingWhenAWriteBackFails) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  ASSERT_EQ(ResidencyBench::state_of(b()), ReplicaState::draining);
  bench_.land_of(b(), kBroken);
  EXPECT_EQ(ResidencyBench::state_of(b()), ReplicaState::dirty);
  bench_.land_all();  // another one leaves instead
  EXPECT_EQ(task.request.state, held);
  bench_.finish(task);
  EXPECT_THAT(bench_.warnings, SizeIs(1));
  EXPECT_EQ(bench_.read(b()), 2u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

TEST_P(ResidencyOfThirds, FailsTheWaitingTaskWhenNothingCanBeWrittenAndTriesAgainForTheNext) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (!bench_.flying.empty()) bench_.land(0, kBroken);
  EXPECT_EQ(task.request.state, waiting);
  bench_.break_standstill();
  if (GetParam() == std::string(kFile)) {
    EXPECT_EQ(task.request.state, failed);
    EXPECT_THAT(task.request.failure.message, HasSubstr("broken"));
    EXPECT_THAT(task.request.failure.message, HasSubstr("\"task\""));
  } else {
    EXPECT_EQ(task.request.state, held);
  }
  bench_.finish(task);
  bench_.land_all();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
  bench_.land_all();
}

TEST_P(ResidencyOfThirds, AdmitsAWaitingTaskWhenABlockIsDestroyed) {
  BenchTask& holder = bench_.spawn("holder", {{&b(), Mode::in}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}});
  bench_.ready(task);
  while (!bench_.flying.empty()) bench_.land(0, kBroken);  // d cannot be written
  ASSERT_EQ(task.request.state, waiting);
  bench_.destroy(d());
  bench_.land_all();
  EXPECT_EQ(task.request.state, held);
  bench_.finish(task);
  bench_.finish(holder);
}

TEST_P(ResidencyOfThirds, NeverHoldsWhatACancelledTaskNamed) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::inout}, {&b(), Mode::in}});
  bench_.residency.begin(task.request);  // as a worker does before it sees that the scope has failed
  bench_.finish(task);
  EXPECT_FALSE(bench_.residency.has_queued());
  EXPECT_EQ(bench_.residency.waiting(), 0u);
  bench_.check_invariants();
}

TEST_P(ResidencyOfThirds, CountsATaskThatNeverBeganAsQueuedUntilItEnds) {
  BenchTask& task = bench_.spawn("task", {{&d(), Mode::in}});
  EXPECT_TRUE(bench_.ready(task));
  EXPECT_TRUE(bench_.residency.has_queued());
  bench_.finish(task);
  EXPECT_FALSE(bench_.residency.has_queued());
}

TEST_P(ResidencyOfThirds, TakesABlockNamedTwiceAsOneUseOfTheStrongerMode) {
  BenchTask& task = bench_.spawn("task", {{&a(), Mode::in}, {&b(), Mode::in}, {&a(), Mode::out}});
  ASSERT_THAT(task.request.uses(), SizeIs(2));
  EXPECT_EQ(task.request.uses()[0].mode, Mode::inout);
  EXPECT_FALSE(task.request.uses()[0].fresh);
  bench_.ready(task);
  bench_.land_all();
  ASSERT_EQ(task.request.state, held);
  EXPECT_EQ(stamp_at(task.request.uses()[0].address), 1u);
  bench_.finish(task);
}

TEST_P(ResidencyOfThirds, LetsChildrenUseWhatTheirParentHolds) {
  BenchTask& parent = bench_.spawn("parent", {{&a(), Mode::inout}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(parent);
  bench_.land_all();
  ASSERT_EQ(parent.request.state, held);
  bench_.residency.begin(parent.request);
  BenchTask& other = bench_.spawn("other", {{&d(), Mode::in}});  // waits: the parent holds all there is
  EXPECT_FALSE(bench_.ready(other));
  for (int i = 0; i < 100; ++i) {
    BenchTask& child = bench_.spawn("child", {{&a(), Mode::inout}, {&b(), Mode::in}}, 0, 0, &parent);
    EXPECT_TRUE(bench_.ready(child));
    bench_.residency.begin(child.request);
    put_stamp(child.request.uses()[0].address, 100u + unsigned(i));
    bench_.finish(child);
  }
  EXPECT_EQ(other.request.state, waiting);
  bench_.finish(parent);
  bench_.land_all();
  EXPECT_EQ(other.request.state, held);
  bench_.finish(other);
  EXPECT_EQ(bench_.read(a()), 199u);
}

TEST_P(ResidencyOfThirds, HelpsTheFirstThatWaitsWhenNothingElseCanHappen) {
  BenchTask& holder = bench_.spawn("holder", {{&a(), Mode::inout}, {&b(), Mode::inout}, {&c(), Mode::in}});
  bench_.ready(holder);
  bench_.land_all();
  bench_.residency.begin(holder.request);
  BenchTask& task = bench_.spawn("task", {{&d(), Mode::inout}});  // for which the holder waits, as nobody can know
  EXPECT_FALSE(bench_.ready(task));
  EXPECT_TRUE(bench_.residency.waits_for_tasks());
  EXPECT_THAT(bench_.residency.describe_waiting(), testing::ElementsAre(HasSubstr("\"task\"")));
  bench_.break_standstill();
  ASSERT_EQ(task.request.state, held);
  EXPECT_EQ(stamp_at(task.request.uses()[0].address), 4u);
  put_stamp(task.request.uses()[0].address, 44);
  EXPECT_EQ(bench_.residency.counters().in_place_runs, 1u);
  const bool file = GetParam() == std::string(kFile);
  EXPECT_EQ(task.request.in_place_bytes, file ? 0 : kThird);
  EXPECT_THAT(bench_.warnings, testing::ElementsAre(HasSubstr(file ? "page cache" : "slow memory")));
  bench_.finish(task);
  bench_.finish(holder);
  EXPECT_EQ(bench_.read(d()), 44u);
}

// ---- Tasks within tasks that want more than those hold ----

TEST_P(ResidencyOfThirds, TellsATaskAtOnceThatItCannotFitBesideThoseAroundIt) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}, {&b(), Mode::in}});
  bench_.ready(outer);
  bench_.land_all();
  BenchTask& middle = bench_.spawn("middle", {{&b(), Mode::in}}, 0, 0, &outer);
  EXPECT_TRUE(bench_.ready(middle));
  BenchTask& inner = bench_.spawn("inner", {{&b(), Mode::in}, {&c(), Mode::in}, {&d(), Mode::inout}}, 0, 0, &middle);
  bench_.ready(inner);
  bench_.land_all();
  if (GetParam() == std::string(kFile)) {
    ASSERT_EQ(inner.request.state, failed);
    EXPECT_THAT(inner.request.failure.message,
                HasSubstr("task \"inner\" needs 960 KiB of blocks in tier memory at the same time, 640 KiB of them "
                          "beside 640 KiB that the tasks it was made in hold until it has ended (the nearest is "
                          "\"middle\"), which can give 1 MiB"));
    EXPECT_THAT(inner.request.failure.message, HasSubstr("--tiers"));
    EXPECT_EQ(bench_.residency.counters().failures, 1u);
  } else {
    ASSERT_EQ(inner.request.state, held);
    EXPECT_EQ(bench_.residency.counters().in_place_runs, 1u);
  }
  for (BenchTask* const task : {&inner, &middle, &outer}) bench_.finish(*task);
}

TEST_P(ResidencyOfThirds, GivesRoomToATaskWithinATaskBeforeAllOthers) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}});
  BenchTask& other = bench_.spawn("other", {{&b(), Mode::inout}, {&c(), Mode::inout}});
  for (BenchTask* const task : {&outer, &other}) {
    bench_.ready(*task);
    bench_.land_all();
    ASSERT_TRUE(bench_.residency.begin(task->request));
  }
  BenchTask& root = bench_.spawn("root", {{&d(), Mode::in}});
  EXPECT_FALSE(bench_.ready(root));
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}, {&c(), Mode::in}}, 0, 0, &outer);
  EXPECT_FALSE(bench_.ready(inner));
  EXPECT_EQ(inner.request.state, waiting);
  bench_.finish(other);
  bench_.land_all();
  EXPECT_EQ(inner.request.state, held);
  bench_.finish(inner);
  bench_.land_all();
  EXPECT_EQ(root.request.state, held);
  bench_.finish(root);
  bench_.finish(outer);
  EXPECT_EQ(bench_.residency.counters().in_place_runs, 0u);
}

TEST_P(ResidencyOfThirds, TakesRoomFromThoseThatHaveNotBegunForATaskWithinATask) {
  BenchTask& outer = bench_.spawn("outer", {{&a(), Mode::inout}});
  BenchTask& other = bench_.spawn("other", {{&b(), Mode::inout}, {&c(), Mode::inout}});
  for (BenchTask* const task : {&outer, &other}) {
    task->request.revocable = true;
    bench_.ready(*task);
    bench_.land_all();
    ASSERT_EQ(task->request.state, held);
  }
  ASSERT_TRUE(bench_.residency.begin(outer.request));
  BenchTask& inner = bench_.spawn("inner", {{&d(), Mode::inout}}, 0, 0, &outer);
  bench_.ready(inner);
  bench_.land_all();
  EXPECT_EQ(inner.request.state, held);
  EXPECT_EQ(other.request.state, waiting);
  EXPECT_FALSE(bench_.residency.begin(other.request));
  EXPECT_FALSE(bench_.residency.try_begin(other.request));
  bench_.finish(inner);
  bench_.finish(outer);
  bench_.land_all();
  EXPECT_EQ(other.request.state, held);
  EXPECT_TRUE(bench_.residency.begin(other.request));
  bench_.finish(other);
}

TEST_P(ResidencyOfThirds, FailsNoTaskThatFitsWhereTheTasksAroundSeveralHoldWhatEachOfThemWants) {
  BenchTask *outer[2], *inner[2];
  for (int i : {0, 1}) {
    outer[i] = &bench_.spawn("outer", {{blocks_[i], Mode::inout}});
    bench_.ready(*outer[i]);
    bench_.land_all();
    ASSERT_TRUE(bench_.residency.begin(outer[i]->request));
  }
  for (int i : {0, 1}) {
    inner[i] = &bench_.spawn("inner", {{&c(), Mode::in}, {&d(), Mode::in}}, 0, 0, outer[i]);
    EXPECT_FALSE(bench_.ready(*inner[i]));
  }
  bench_.land_all();
  bench_.break_standstill();
  bench_.land_all();
  EXPECT_EQ(inner[0]->request.state, held);
  for (std::size_t i : {0, 1}) EXPECT_EQ(stamp_at(inner[0]->request.uses()[i].address), i + 3);
  bench_.finish(*inner[0]);
  bench_.finish(*outer[0]);
  bench_.land_all();
  EXPECT_EQ(inner[1]->request.state, held);
  bench_.finish(*inner[1]);
  bench_.finish(*outer[1]);
  EXPECT_EQ(bench_.residency.counters().failures, 0u);
  EXPECT_EQ(bench_.residency.counters().in_place_runs, 1u);
}

TEST_P(ResidencyOfThirds, RunsATaskThatNeverFitsInPlaceOrFailsIt) {
  const Footprint all{{&a(), Mode::in}, {&b(), Mode::inout}, {&c(), Mode::in}, {&d(), Mode::inout}};
  BenchTask& task = bench_.spawn("all", all);
  bench_.ready(task);
  bench_.land_all();
  if (GetParam() == std::string(kFile)) {
    EXPECT_EQ(task.request.state, failed);
    EXPECT_THAT(task.request.failure.message, HasSubstr("1.25 MiB"));
  } else {
    ASSERT_EQ(task.request.state, held);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(stamp_at(task.request.uses()[i].address), i + 1);
  }
  bench_.finish(task);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench_.read(*blocks_[i]), std::uint64_t(i) + 1);
}

// Small ones of one size share pages; of many sizes they take more than their bytes.
TEST(Residency, KnowsThatSmallBlocksOfManySizesDoNotFitAlthoughTheirBytesWould) {
  for (const bool one_size : {true, false}) {
    ResidencyBench bench(kSlow, with(Strategy::single));
    Footprint footprint{{&bench.make("large", 300 * kKiB), Mode::inout}};
    bench.make("filler", 900 * kKiB);
    for (std::size_t i = 1; i <= 50; ++i)
      footprint.emplace_back(&bench.make("small", one_size ? 1600 : i * 64), Mode::inout);
    bench.track();
    BenchTask& task = bench.spawn("task", footprint);
    bench.ready(task);
    bench.land_all();
    ASSERT_EQ(task.request.state, held) << "nobody has to see a standstill first";
    EXPECT_EQ(bench.residency.counters().in_place_runs, one_size ? 0u : 1u);
    bench.finish(task);
  }
}

TEST(Residency, ChargesATaskOnceForWhatItUsesInPlaceHoweverOftenItTried) {
  ResidencyBench bench(kSlow, with(Strategy::single));
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
  ASSERT_EQ(in_place.request.state, held);
  EXPECT_EQ(in_place.request.in_place_bytes, 4 * kThird);
  BenchTask& waiter = bench.spawn("waiter", {{&x, Mode::in}, {&b, Mode::in}});
  ASSERT_FALSE(bench.ready(waiter));
  for (int i = 0; i < 3; ++i) bench.advance();
  if (waiter.request.state == waiting) {
    bench.finish(holder);
    bench.land_all();
    ASSERT_EQ(waiter.request.state, held);
    EXPECT_EQ(waiter.request.in_place_bytes, 2 * kThird);
  } else {
    bench.finish(holder);
  }
  bench.finish(waiter);
  bench.finish(in_place);
}

TEST(Residency, AsksAgainForAPrefetchThatFailedOnlyWhenATaskIsReady) {
  ResidencyBench bench(kFile, with(Strategy::ahead));
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
  ASSERT_EQ(later.request.state, held);
  EXPECT_EQ(stamp_at(later.request.uses()[0].address), std::uint64_t(out - blocks) + 1);
  bench.finish(later);
}

TEST(Residency, BringsInAheadWhatPendingTasksReadAndDisplacesWhatIsNeededLater) {
  ResidencyBench bench(kSlow, with(Strategy::ahead));
  Block* blocks[5];
  for (Block*& b : blocks) b = &bench.make("b", kThird);
  bench.track();
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(bench.run("w", {{blocks[i], Mode::out}}, i + 1));
  bench.land_all();
  BenchTask& gate = bench.spawn("gate", {{blocks[4], Mode::inout}});
  bench.ready(gate);
  bench.land_all();
  ASSERT_EQ(gate.request.state, held);
  std::vector<BenchTask*> tasks;
  for (int i : {0, 1, 2}) tasks.push_back(&bench.spawn("later", {{blocks[4], Mode::in}, {blocks[i], Mode::in}}));
  bench.advance();
  bench.land_all();
  EXPECT_NE(ResidencyBench::state_of(*blocks[0]), ReplicaState::absent);
  EXPECT_EQ(ResidencyBench::state_of(*blocks[2]), ReplicaState::absent) << "it would displace what is needed sooner";
  EXPECT_EQ(blocks[0]->replicas->pins, 0u);
  put_stamp(gate.request.uses()[0].address, 50);
  bench.finish(gate);
  bench.land_all();
  for (BenchTask* task : tasks) {
    if (task->request.state == pending) bench.ready(*task);
    bench.land_all();
    ASSERT_EQ(task->request.state, held);
    EXPECT_EQ(stamp_at(task->request.uses()[0].address), 50u);
    bench.finish(*task);
  }
  bench.check_invariants();
}

TEST(Residency, DisplacesWhatItBroughtInAheadForATaskThatIsReady) {
  ResidencyBench bench(kSlow, with(Strategy::ahead));
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
  ASSERT_EQ(urgent.request.state, held);
  EXPECT_EQ(stamp_at(urgent.request.uses()[0].address), 4u);
  bench.finish(urgent);
  for (std::size_t i = 0; i < 3; ++i) {
    bench.ready(*later[i]);
    bench.land_all();
    ASSERT_EQ(later[i]->request.state, held);
    EXPECT_EQ(stamp_at(later[i]->request.uses()[0].address), i + 1);
    bench.finish(*later[i]);
  }
}

TEST(Residency, FitsATaskIntoAnEmptyTierWhereverItsSmallBlockLay) {
  ResidencyBench bench(kSlow, with(Strategy::ahead));
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
  EXPECT_EQ(task.request.state, held) << "the page of the small block splits the tier in two";
  bench.finish(task);
}

TEST(Residency, LetsATaskThatCouldRunAtOnceQueueBehindOlderOnesInOrder) {
  ResidencyBench bench(kSlow, with(Strategy::ahead));
  Block* const shared = &bench.make("shared", kThird);
  for (int i = 0; i < 4; ++i) bench.make("more than fit", kThird);
  bench.track();
  ASSERT_TRUE(bench.run("w", {{shared, Mode::out}}, 7));
  bench.land_all();
  BenchTask& older = bench.spawn("older", {{shared, Mode::in}});
  BenchTask& newer = bench.spawn("newer", {{shared, Mode::in}});
  EXPECT_TRUE(bench.ready(older));
  EXPECT_FALSE(bench.ready(newer)) << "a deque would run it first";
  EXPECT_EQ(newer.request.state, held);
  EXPECT_THAT(bench.staged, testing::ElementsAre(&newer.request));
  bench.finish(older);
  bench.finish(newer);
  EXPECT_EQ(bench.read(*shared), 7u);
}

TEST(Residency, LetsTasksPassOneThatWaitsOnlySoOften) {
  ResidencyBench bench(kSlow, with(Strategy::single, Evict::lru));
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
  for (int i = 0; i < 100; ++i) {
    BenchTask& task = bench.spawn("short", {{&c, Mode::in}});
    if (bench.ready(task)) {
      ++passed;
      bench.finish(task);
    } else {
      refused.push_back(&task);
    }
    if (refused.size() > 3) break;
  }
  EXPECT_LE(passed, 16);
  bench.finish(holder);
  bench.land_all();
  EXPECT_EQ(waiter.request.state, held);
  bench.finish(waiter);
  bench.land_all();
  for (BenchTask* task : refused) bench.land_all(), bench.finish(*task);
}

// Whoever comes next finds a block that somebody has already, or room that is too little for the one that waits.
TEST(Residency, KeepsWhatBecomesFreeForALargeTaskThatSmallOnesHavePassedOftenEnough) {
  for (const Strategy strategy : {Strategy::single, Strategy::ahead}) {
    Residency::Config config = with(strategy, Evict::lru);
    config.workers = 2;
    ResidencyBench bench(kSlow, config);
    Block& large = bench.make("large", 3 * kThird);
    Block* const small[] = {&bench.make("small", kThird), &bench.make("small", kThird)};
    bench.track();
    const auto start = [&](int i) {
      BenchTask& task = bench.spawn("short", {{small[i % 2], Mode::in}}, 0, i % 2);
      bench.ready(task);
      bench.land_all();
      if (task.request.state == held) bench.residency.begin(task.request);
      return &task;
    };
    BenchTask* running = start(0);
    BenchTask& waiter = bench.spawn("waiter", {{&large, Mode::in}});
    ASSERT_FALSE(bench.ready(waiter));
    std::vector<BenchTask*> later;
    int passed = 0;
    for (; passed < 1000 && waiter.request.state == waiting; ++passed) {  // there is always one that runs
      BenchTask* const next = start(passed + 1);
      bench.finish(*std::exchange(running, next));
      bench.land_all();
      if (running->request.state == held) continue;
      later.push_back(running);
      break;
    }
    EXPECT_EQ(waiter.request.state, held);
    EXPECT_LE(passed, 2 * 64);
    bench.finish(waiter);
    bench.land_all();
    ASSERT_THAT(later, SizeIs(1));
    EXPECT_EQ(later[0]->request.state, held);
    bench.finish(*later[0]);
  }
}

TEST(Residency, StaysOutOfTheWayUntilABlockDoesNotFitAnyMore) {
  ResidencyBench bench(kSlow);
  Block& a = bench.make("a", kThird);
  bench.make("b", kThird);
  bench.make("c", kThird);
  EXPECT_FALSE(bench.residency.tracked());
  EXPECT_NE(a.address.load(), nullptr);
  put_stamp(a.address.load(), 77);
  bench.make("d", kThird);
  EXPECT_TRUE(bench.residency.tracked());
  EXPECT_TRUE(bench.residency.untracked_may_run());
  BenchTask& task = bench.spawn("task", {{bench.blocks()[3].get(), Mode::out}});
  EXPECT_FALSE(bench.ready(task)) << "tasks that are not tracked may use all there is";
  bench.track();
  bench.land_all();
  EXPECT_EQ(task.request.state, held);
  bench.finish(task);
  EXPECT_EQ(bench.read(a), 77u);
}

// ---- Several memory nodes in the fast tier ----

Residency::Config beside() {
  Residency::Config config = with(Strategy::single, Evict::lru);
  config.allocation = Allocation::local_fast;
  config.workers = 4;
  return config;
}

class ResidencyBesideWorkers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(bench_.tiers->tiers()[0].arenas, SizeIs(4));
    filler_ = &bench_.make("filler", 5 * kMiB);  // does not fit: blocks are tracked
    a_ = &bench_.make("a", 256 * kKiB);
    bench_.track();
    ASSERT_TRUE(bench_.run("a", {{a_, Mode::out}}, 1, 0));
  }
  const Arena* arena_of(const BenchTask& task) const {
    const Use& use = const_cast<Request&>(task.request).uses()[0];
    return use.replica != nullptr ? use.replica->arena : nullptr;
  }

  ResidencyBench bench_{knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", beside()};
  Block* filler_ = nullptr;
  Block* a_ = nullptr;
};

TEST_F(ResidencyBesideWorkers, MovesADirtyBlockToTheNodeOfItsNextTask) {
  ASSERT_EQ(ResidencyBench::state_of(*a_), ReplicaState::dirty);
  BenchTask& task = bench_.spawn("task", {{a_, Mode::inout}}, 2);
  bench_.ready(task);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  EXPECT_NE(bench_.flying[0].transfer->source, nullptr);
  bench_.land_all();
  ASSERT_EQ(task.request.state, held);
  EXPECT_EQ(arena_of(task), &bench_.arena(2));
  EXPECT_EQ(stamp_at(task.request.uses()[0].address), 1u);
  put_stamp(task.request.uses()[0].address, 2);
  bench_.finish(task);
  EXPECT_EQ(ResidencyBench::replicas_of(*a_), 1);
  bench_.check_invariants();
  EXPECT_EQ(bench_.read(*a_, 3), 2u);
}

TEST_F(ResidencyBesideWorkers, ForgetsADirtyReplicaThatIsOverwrittenElsewhere) {
  ASSERT_TRUE(bench_.run("overwrite", {{a_, Mode::out}}, 5, 1));
  EXPECT_EQ(ResidencyBench::replicas_of(*a_), 1);
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

TEST_F(ResidencyBesideWorkers, GivesTasksThatWriteTogetherTheSameReplica) {
  BenchTask& one = bench_.spawn("one", {{a_, Mode::commutative}}, 2);
  BenchTask& two = bench_.spawn("two", {{a_, Mode::commutative}}, 0);  // where it is now
  bench_.ready(one);
  ASSERT_THAT(bench_.flying, SizeIs(1));
  bench_.ready(two);
  bench_.land_all();
  ASSERT_EQ(one.request.state, held);
  ASSERT_EQ(two.request.state, held);
  EXPECT_EQ(one.request.uses()[0].address, two.request.uses()[0].address);
  put_stamp(one.request.uses()[0].address, 2);
  put_stamp(two.request.uses()[0].address, 3);
  bench_.finish(one);
  bench_.finish(two);
  EXPECT_EQ(bench_.read(*a_, 1), 3u);
}

TEST_F(ResidencyBesideWorkers, KeepsSeveralCleanReplicasOfWhatIsOnlyRead) {
  for (int domain : {0, 1, 2, 3, 0, 1, 2, 3}) EXPECT_EQ(bench_.read(*a_, domain), 1u);
  EXPECT_GE(ResidencyBench::replicas_of(*a_), 2);
  ASSERT_TRUE(bench_.run("write", {{a_, Mode::inout}}, 6, 1));
  EXPECT_EQ(ResidencyBench::replicas_of(*a_), 1);
  for (int domain : {3, 2, 1, 0}) EXPECT_EQ(bench_.read(*a_, domain), 6u);
  bench_.check_invariants();
}

TEST(Residency, OfSeveralFastNodesTakesAnyThatHasRoomOrCanMakeSome) {
  Residency::Config config = with(Strategy::single, Evict::lru);
  ResidencyBench bench(knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", config);  // 1 MiB a node
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
  const Arena* const node = small[3]->replicas->arena;
  for (std::size_t i = 0; i < 8; ++i) {
    if (small[i]->replicas->arena == node) bench.finish(*std::exchange(holders[i], nullptr));
  }
  BenchTask& task = bench.spawn("task", {{&large, Mode::out}});
  EXPECT_TRUE(bench.ready(task));
  bench.land_all();
  EXPECT_EQ(task.request.state, held);
  bench.finish(task);
  for (BenchTask* holder : holders) {
    if (holder != nullptr) bench.finish(*holder);
  }
}

// ---- A tier of several nodes ----

class ResidencyOverNodes : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Tiers, ResidencyOverNodes, testing::Values("hbm=4MiB,ddr=64MiB", "hbm=4MiB,file=/tmp:64MiB"),
                         [](const auto& test) { return test.index == 0 ? "memory" : "file"; });

TEST_P(ResidencyOverNodes, RunsATaskThatFitsInTheTierAndOnNoNode) {
  ResidencyBench bench(knl_snc4_flat(), GetParam(), with(Strategy::single, Evict::lru));
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
    ASSERT_EQ(task.request.state, held);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NE(task.request.uses()[i].replica, nullptr);
      EXPECT_EQ(stamp_at(task.request.uses()[i].address), std::uint64_t(first + i) + 1);
    }
    bench.check_invariants();
    bench.finish(task);
  }
  EXPECT_EQ(bench.residency.counters().in_place_runs, 0u);
  EXPECT_EQ(bench.residency.counters().failures, 0u);
}

TEST(ResidencyOverSeveralNodes, SaysWhyWholeBlocksDoNotFit) {
  ResidencyBench bench(knl_snc4_flat(), "hbm=4MiB,file=/tmp:64MiB", with(Strategy::single, Evict::lru));
  Footprint footprint;
  for (int i = 0; i < 6; ++i) footprint.emplace_back(&bench.make("block", 600 * kKiB, i % 4), Mode::out);
  bench.track();
  BenchTask& task = bench.spawn("large", footprint);
  bench.ready(task);
  EXPECT_EQ(task.request.state, failed);
  EXPECT_THAT(task.request.failure.message, HasSubstr("not so that each block is on one of them"));
  bench.finish(task);
}

// ---- Room that cannot be had ----

// What left in vain would be fetched again ahead of its task, leave again, and so on while nobody runs.
TEST(ResidencyWhenRoomCannotBeHad, LetsNothingLeaveInVain) {
  ResidencyBench bench(kSlow, with(Strategy::ahead));
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
  ASSERT_EQ(ResidencyBench::state_of(wanted), ReplicaState::absent);
  ASSERT_EQ(ResidencyBench::state_of(later), ReplicaState::dirty);
  BenchTask& waiter = bench.spawn("waiter", {{&wanted, Mode::in}});
  BenchTask& last = bench.spawn("last", {{&used, Mode::inout}, {&later, Mode::in}});
  ASSERT_TRUE(bench.ready(runs));
  bench.residency.begin(runs.request);

  // 112 KiB are free, and 200 could leave that are needed after it: not enough, while the rest is needed before it.
  EXPECT_FALSE(bench.ready(waiter));
  EXPECT_EQ(waiter.request.state, waiting);
  EXPECT_THAT(bench.flying, IsEmpty());
  EXPECT_EQ(ResidencyBench::state_of(later), ReplicaState::dirty);

  bench.finish(runs);
  bench.land_all();
  EXPECT_EQ(waiter.request.state, held);
  bench.finish(waiter);
  for (BenchTask* const task : {&next, &last}) {
    task->request.cancelled = true;
    bench.finish(*task);
  }
}

// ---- Adopted memory ----

TEST(ResidencyOfAdoptedMemory, LeavesABlockThatIsFlushedAloneUntilItIsWritten) {
  ResidencyBench bench(knl_snc4_flat(), "hbm=4MiB,ddr=64MiB", with(Strategy::single, Evict::lru));
  std::vector<std::byte> mine(1 * kMiB);
  Block block;
  block.name = "mine";
  block.bytes = mine.size();
  block.layout = detail::contiguous(mine.size());
  block.home.kind = Home::Kind::program;
  block.home.address = mine.data();
  ASSERT_TRUE(bench.residency.add(block));
  ASSERT_TRUE(bench.residency.tracked());
  ASSERT_TRUE(bench.run("write", {{&block, Mode::inout}}, 42));
  ASSERT_TRUE(bench.flush(block));
  std::vector<Block*> others;
  for (int i = 0; i < 8; ++i) {  // make all else leave
    others.push_back(&bench.make("other", 512 * kKiB));
    BenchTask& task = bench.spawn("other", {{others.back(), Mode::out}});
    bench.ready(task);
    while (task.request.state != held) bench.land(bench.flying.size() - 1);
    bench.finish(task);
  }
  bench.land_all();
  EXPECT_EQ(stamp_at(mine.data()), 42u);
  Steps steps;
  bench.residency.remove(block, steps);
}

}  // namespace
}  // namespace weir::data
