// SPDX-License-Identifier: Apache-2.0

// A program that was recorded is read back exactly: its tasks, who spawned them in which order, what they use, what
// they come after, who waited for whom, and when blocks lived.
#include "trace/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "temporary_path.hpp"
#include "trace/details.hpp"
#include "trace/recorder.hpp"
#include "trace/records.hpp"
#include "trace/track.hpp"
#include "weir/weir.hpp"

namespace weir::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct TaskRecord {
  std::string name;
  std::uint64_t parent = 0;
  std::uint64_t bytes = 0;
  std::uint8_t items = 0;
  std::vector<AccessRecord> accesses;
  std::vector<WatchedArray> watched;  // of the accesses that lie in one
  std::vector<std::uint64_t> after, edges;
  bool ran = false, cancelled = false;
};

// All that is recorded of a run.
class ReadRun final : public RecordVisitor {
 public:
  explicit ReadRun(const std::string& path) {
    const auto reader = TraceReader::open(path);
    EXPECT_TRUE(reader) << reader.status().message;
    EXPECT_FALSE(reader->ends_early());
    info = reader->runtimes().front();
    const base::Status status = read_records(*reader, info, *this);
    EXPECT_TRUE(status) << status.message;
  }

  // The only one of that name.
  const TaskRecord& task(const std::string& name) const { return tasks.at(id(name)); }
  std::uint64_t id(const std::string& name) const {
    std::uint64_t found = 0;
    for (const auto& [id, task] : tasks) {
      if (task.name != name) continue;
      EXPECT_EQ(found, 0u) << "two tasks " << name;
      found = id;
    }
    EXPECT_NE(found, 0u) << "no task " << name;
    return found;
  }
  std::vector<std::string> names_of(const std::vector<std::uint64_t>& ids) const {
    std::vector<std::string> names;
    for (const std::uint64_t id : ids) names.push_back(id == 0 ? "program" : tasks.at(id).name);
    return names;
  }

  RuntimeInfo info;
  std::map<std::uint64_t, TaskRecord> tasks;
  std::map<std::uint32_t, std::vector<std::uint64_t>> spawned;  // in order, by track
  std::vector<Event> waits, made, gone;

 private:
  void spawn(std::uint32_t track, const Event& event, std::uint64_t parent) override {
    spawned[track].push_back(event.id);
    TaskRecord& task = tasks[event.id];
    task.parent = parent;
    task.bytes = event.value();
    task.items = event.small();
  }
  void access(std::uint64_t task, const AccessRecord& access) override {
    tasks[task].accesses.push_back(access);
    if (access.watched != nullptr) tasks[task].watched.push_back(*access.watched);
    tasks[task].accesses.back().watched = nullptr;
  }
  void after(std::uint64_t task, std::uint64_t before) override { tasks[task].after.push_back(before); }
  void edge(std::uint64_t before, std::uint64_t task) override { tasks[task].edges.push_back(before); }
  void event(std::uint32_t, const Event& event) override {
    if (event.kind() == Kind::task) {
      const std::string* const name = info.name_in(event);
      TaskRecord& task = tasks[event.id];
      if (name != nullptr) task.name = *name;
      task.ran = true;
      task.cancelled = TaskSmall(event.small()).cancelled();
    }
    if (event.kind() == Kind::wait) waits.push_back(event);
    if (event.kind() == Kind::made) made.push_back(event);
    if (event.kind() == Kind::gone) gone.push_back(event);
  }
};

Options traced(const TemporaryPath& path, int workers) {
  Options options;
  options.workers = workers;
  options.trace = path.file();
  return options;
}

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

TEST(ReadBack, TasksHaveTheirParentsAndTheOrderOfSpawning) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    runtime.spawn(name("a"), [] {
      spawn(name("a1"), [] {});
      spawn(name("a2"), [] { spawn(name("a21"), [] {}); });
      wait();
      spawn(name("a3"), [] {});
    });
    runtime.spawn(name("b"), [] { spawn(name("b1"), [] {}); });
    runtime.wait();
    runtime.spawn(name("c"), [] {});
  }
  const ReadRun run(path.file());
  EXPECT_EQ(run.tasks.size(), 8u);
  for (const auto& [id, task] : run.tasks) EXPECT_TRUE(task.ran) << task.name;
  const auto parent = [&](const char* name) { return run.names_of({run.task(name).parent}).front(); };
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(parent(name), "program");
  for (const char* name : {"a1", "a2", "a3"}) EXPECT_EQ(parent(name), "a");
  EXPECT_EQ(parent("a21"), "a2");
  EXPECT_EQ(parent("b1"), "b");
  ASSERT_EQ(run.spawned.size(), 1u);
  const std::vector<std::string> order = run.names_of(run.spawned.begin()->second);
  const auto place = [&](const char* name) { return std::find(order.begin(), order.end(), name) - order.begin(); };
  EXPECT_LT(place("a"), place("b"));
  EXPECT_LT(place("b"), place("c"));
  EXPECT_LT(place("a1"), place("a2"));
  EXPECT_LT(place("a2"), place("a3"));
}

TEST(ReadBack, FootprintsAreTheRegionsAndModesOfTheProgram) {
  const TemporaryPath path;
  long one = 0, sum = 0;
  std::vector<double> row(100);
  std::vector<int> grid(8 * 16);
  {
    Runtime runtime(traced(path, 1));
    runtime.spawn(name("one"), out(one), in(row.data(), 100), [](long&, std::span<const double>) {});
    const Watched<int> watched(grid.data(), 8, 16, 16, 2, 4);
    runtime.spawn(name("tile"), inout(watched.tile(2, 4, 2, 8)), [](View2D<int>) {});
    runtime.spawn(name("sum"), commutative(sum), concurrent(one), [](long&, long&) {});
    runtime.wait();
  }
  const ReadRun run(path.file());
  const TaskRecord& first = run.task("one");
  ASSERT_EQ(first.accesses.size(), 2u);
  EXPECT_EQ(first.bytes, sizeof one + 800);
  EXPECT_EQ(first.accesses[0].address, address_of(&one));
  EXPECT_EQ(first.accesses[0].row_bytes * first.accesses[0].rows, sizeof one);
  EXPECT_EQ(first.accesses[0].mode.mode, static_cast<int>(Mode::out));
  EXPECT_EQ(first.accesses[1].address, address_of(row.data()));
  EXPECT_EQ(first.accesses[1].row_bytes, 800u);
  EXPECT_EQ(first.accesses[1].mode.mode, static_cast<int>(Mode::in));
  EXPECT_THAT(first.watched, IsEmpty());
  const TaskRecord& tile = run.task("tile");
  ASSERT_EQ(tile.accesses.size(), 1u);
  EXPECT_EQ(tile.accesses[0].address, address_of(&grid[2 * 16 + 4]));
  EXPECT_EQ(tile.accesses[0].row_bytes, 8 * sizeof(int));
  EXPECT_EQ(tile.accesses[0].rows, 2u);
  EXPECT_EQ(tile.accesses[0].stride, 16 * sizeof(int));
  ASSERT_EQ(tile.watched.size(), 1u);
  EXPECT_EQ(tile.watched[0].address, address_of(grid.data()));
  EXPECT_EQ(tile.watched[0].rows, 8u);
  EXPECT_EQ(tile.watched[0].stride, 16 * sizeof(int));
  EXPECT_EQ(tile.watched[0].part_row_bytes, 4 * sizeof(int));
  EXPECT_EQ(tile.watched[0].part_rows, 2u);
  const TaskRecord& last = run.task("sum");
  ASSERT_EQ(last.accesses.size(), 2u);
  EXPECT_EQ(last.accesses[0].mode.mode, static_cast<int>(Mode::commutative));
  EXPECT_EQ(last.accesses[1].mode.mode, static_cast<int>(Mode::concurrent));
}

TEST(ReadBack, BlocksAreNamedByTheirNumbersFromTheirMakingToTheirEnd) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    Block<double> a(runtime, 10, "a"), b(runtime, 20, "b"), c(runtime, 30, "c"), d(runtime, 40, "d");
    runtime.spawn(name("all"), in(a), out(b), inout(c), in(d),
                  [](std::span<const double>, std::span<double>, std::span<double>, std::span<const double>) {});
    runtime.wait();
  }
  const ReadRun run(path.file());
  const TaskRecord& task = run.task("all");
  ASSERT_EQ(task.accesses.size(), 4u);
  EXPECT_EQ(task.bytes, 100 * sizeof(double));
  const char* const names[] = {"a", "b", "c", "d"};
  const Mode modes[] = {Mode::in, Mode::out, Mode::inout, Mode::in};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(task.accesses[i].is_block);
    EXPECT_EQ(run.info.blocks.at(task.accesses[i].block).name, names[i]);
    EXPECT_EQ(task.accesses[i].mode.mode, static_cast<int>(modes[i]));
  }
  ASSERT_EQ(run.made.size(), 4u);
  ASSERT_EQ(run.gone.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.info.blocks.at(run.made[i].id).name, names[i]);
    EXPECT_EQ(run.made[i].value(), (i + 1) * 10 * sizeof(double));
    EXPECT_EQ(run.gone[i].id, run.made[3 - i].id);
    EXPECT_GE(run.gone[i].start, run.made[3].start);
  }
}

// One worker runs nothing before the thread waits: no task has ended when the next one is spawned.
TEST(ReadBack, WhatATaskComesAfterIsWhatItWasToldAndWhatItsFootprintSays) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    long value = 0;
    const auto first = runtime.spawn(name("first"), out(value), [](long& v) { v = 1; });
    const auto other = runtime.spawn(name("other"), [] {});
    runtime.spawn(name("reader 1"), in(value), [](const long&) {});
    runtime.spawn(name("reader 2"), in(value), after(other), [](const long&) {});
    runtime.spawn(name("writer"), out(value), after(std::vector{first, other}), [](long& v) { v = 2; });
    runtime.wait();
  }
  const ReadRun run(path.file());
  EXPECT_THAT(run.task("first").edges, IsEmpty());
  EXPECT_THAT(run.names_of(run.task("reader 1").edges), ElementsAre("first"));
  EXPECT_THAT(run.names_of(run.task("reader 2").after), ElementsAre("other"));
  EXPECT_THAT(run.names_of(run.task("reader 2").edges), testing::UnorderedElementsAre("other", "first"));
  EXPECT_THAT(run.names_of(run.task("writer").after), ElementsAre("first", "other"));
  EXPECT_THAT(run.names_of(run.task("writer").edges), testing::IsSupersetOf({"reader 1", "reader 2", "other"}));
}

TEST(ReadBack, WaitsSayForWhom) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    runtime.spawn(name("parent"), [] {
      const auto child = spawn(name("child"), [] {});
      wait(child);
      spawn(name("child 2"), [] {});
      wait();
    });
    runtime.wait();
  }
  const ReadRun run(path.file());
  std::vector<std::pair<WaitFor, std::string>> waits;
  for (const Event& wait : run.waits) {
    const auto what = static_cast<WaitFor>(wait.small());
    if (what != WaitFor::stop && what != WaitFor::other) waits.emplace_back(what, run.names_of({wait.id}).front());
  }
  EXPECT_THAT(waits, ElementsAre(std::pair(WaitFor::task, "child"), std::pair(WaitFor::children, "parent"),
                                 std::pair(WaitFor::children, "program"),
                                 std::pair(WaitFor::children, "program")));  // the runtime's end: nothing was left
}

TEST(ReadBack, LongFootprintsAreWhole) {
  const TemporaryPath path;
  constexpr std::size_t kItems = 1000;
  std::vector<long> values(kItems);
  {
    Runtime runtime(traced(path, 1));
    std::vector<Access> items;
    for (long& value : values) items.push_back(in(value));
    runtime.spawn(name("reads"), items, [](Items) {});
    for (std::size_t i = 0; i < kItems; ++i) runtime.spawn(out(values[i]), [](long&) {});
    runtime.spawn(name("reads all"), items, [](Items) {});
    runtime.wait();
  }
  const ReadRun run(path.file());
  const TaskRecord& task = run.task("reads all");
  EXPECT_EQ(task.items, 255) << "or more";
  ASSERT_EQ(task.accesses.size(), kItems);
  for (std::size_t i = 0; i < kItems; ++i) EXPECT_EQ(task.accesses[i].address, address_of(&values[i]));
  EXPECT_GE(task.edges.size(), 1u);
}

// Three accesses share a unit, which says once by what number its blocks are meant.
TEST(ReadBack, BlocksOfBothKindsInOneFootprintAreToldApart) {
  struct Kinds final : RecordVisitor {
    void access(std::uint64_t, const AccessRecord& access) override {
      found.emplace_back(access.block_kind, access.block);
    }
    std::vector<std::pair<BlockKind, std::uint64_t>> found;
  };
  Track track({"worker 0", 0, 0});
  {
    Details details(track, Track::footprint(7, 64, 4));
    const AccessMode reads;
    details.block(reads, 44);
    details.guid(reads, 144);
    details.block(reads, 45);
    details.block(reads, 46);
  }
  RuntimeInfo info;
  info.tracks.resize(1);
  Kinds kinds;
  Chunk chunk;
  chunk.units = track.ring().readable();
  RecordParser(info, kinds).parse(chunk);
  EXPECT_THAT(kinds.found, ElementsAre(std::pair(BlockKind::numbered, 44), std::pair(BlockKind::guid, 144),
                                       std::pair(BlockKind::numbered, 45), std::pair(BlockKind::numbered, 46)));
}

// Each thread spawns on a track of its own, in the order of its program.
TEST(ReadBack, SpawnsOfSeveralThreadsAreThereInTheirOrderWithTheirParents) {
  const TemporaryPath path;
  constexpr int kParents = 40, kChildren = 50;
  std::vector<long> cells(kParents * kChildren);
  {
    Runtime runtime(traced(path, 3));
    for (int p = 0; p < kParents; ++p) {
      runtime.spawn(name("parent"), [&, p] {
        for (int c = 0; c < kChildren; ++c)
          spawn(out(cells[static_cast<std::size_t>(p * kChildren + c)]), [](long&) {});
        wait();
      });
    }
    runtime.wait();
  }
  const ReadRun run(path.file());
  EXPECT_EQ(run.tasks.size(), static_cast<std::size_t>(kParents * (kChildren + 1)));
  std::map<std::uint64_t, std::vector<std::uint64_t>> cells_of;  // by parent, in the order of spawning
  for (const auto& [track, ids] : run.spawned) {
    for (const std::uint64_t id : ids) {
      const TaskRecord& task = run.tasks.at(id);
      if (task.name == "parent") continue;
      ASSERT_EQ(task.accesses.size(), 1u);
      cells_of[task.parent].push_back((task.accesses[0].address - address_of(cells.data())) / sizeof(long));
    }
  }
  EXPECT_EQ(cells_of.size(), static_cast<std::size_t>(kParents));
  for (const auto& [parent, children] : cells_of) {
    ASSERT_EQ(children.size(), static_cast<std::size_t>(kChildren));
    EXPECT_EQ(children.front() % kChildren, 0u);
    for (std::size_t i = 0; i < children.size(); ++i) EXPECT_EQ(children[i], children.front() + i);
  }
}

TEST(ReadBack, AGroupThatFindsNoRoomIsLostAsAWholeAndTheParentIsSaidAgain) {
  Ring ring(8);
  const std::vector<Event> group(5, Event{1, 2, 3, Event::pack(Kind::search, 4)});
  EXPECT_TRUE(ring.push_all(group));
  EXPECT_FALSE(ring.push_all(group));
  EXPECT_EQ(ring.dropped(), 5u);
  EXPECT_EQ(ring.readable().size(), 5u);
  ring.consume(5);
  EXPECT_TRUE(ring.push_all(group));  // over the end of the ring
  EXPECT_EQ(ring.readable().size(), 3u);
  ring.consume(3);
  EXPECT_EQ(ring.readable().size(), 2u);
}

TEST(ReadBack, AFileIsReadWhileItsProgramRuns) {
  const TemporaryPath path;
  Runtime runtime(traced(path, 1));
  runtime.spawn(name("seen"), [] {});
  runtime.wait();
  for (;;) {
    const auto reader = TraceReader::open(path.file() + ".part");
    if (reader) {
      EXPECT_TRUE(reader->ends_early());
      bool seen = false;
      for (const auto& [number, text] : reader->runtimes().front().texts) seen = seen || text == "seen";
      if (seen) break;
    }
    std::this_thread::yield();
  }
}

struct Slots final : RecordVisitor {
  void satisfied(std::uint32_t, const Satisfied& slot) override { found.push_back(slot); }
  std::vector<Satisfied> found;
};

TEST(ReadBack, AnEdgeSaysWithWhichBlockAnEdtSatisfiesASlotAndWhetherByItsEnd) {
  Track track({.name = "worker 0"});
  track.edge(7, 8, EdgeBlock::of(BlockKind::guid, 99));
  track.edge(7, 9, {}, EdgeBy::end);
  RuntimeInfo runtime;
  runtime.tracks.resize(1);
  Slots slots;
  Chunk chunk;
  chunk.kind = ChunkKind::units;
  chunk.units = track.ring().readable();
  RecordParser(runtime, slots).parse(chunk);
  ASSERT_EQ(slots.found.size(), 2u);
  EXPECT_EQ(slots.found[0].before, 7u);
  EXPECT_EQ(slots.found[0].task, 8u);
  EXPECT_EQ(slots.found[0].block.kind(), BlockKind::guid);
  EXPECT_EQ(slots.found[0].block.number, 99u);
  EXPECT_EQ(slots.found[0].by, EdgeBy::code);
  EXPECT_EQ(slots.found[1].task, 9u);
  EXPECT_TRUE(slots.found[1].block.is_none());
  EXPECT_EQ(slots.found[1].by, EdgeBy::end);
}

}  // namespace
}  // namespace weir::trace
