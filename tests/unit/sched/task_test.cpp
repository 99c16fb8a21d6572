// SPDX-License-Identifier: Apache-2.0

#include "sched/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sched/inbox.hpp"
#include "sched/task_heap.hpp"

namespace weir::sched {
namespace {

// Of arm64, where the upper half of what a program may use has bit 47 set.
TEST(TraceId, DiffersBetweenUsesOfATaskAtAnAddressOf48Bits) {
  static_assert(kAddressBits >= 48);
  const auto id = [](std::uintptr_t address, std::uint64_t generation) {
    return trace_id({reinterpret_cast<Task*>(address), generation});
  };
  std::set<std::uint64_t> ids;
  for (const std::uintptr_t address : {0xaaaa'aaaa'0040u, 0xffff'8000'0040u, 0x5555'5555'0040u})
    for (std::uint64_t generation = 1; generation <= 8; ++generation) ids.insert(id(address, generation));
  EXPECT_EQ(ids.size(), 24u);
}

TEST(SuccessorList, GivesTheEdgesNewestFirst) {
  SuccessorList list;
  list.reset(7);
  Edge edges[3] = {};
  for (Edge& edge : edges) EXPECT_TRUE(list.try_add(&edge, 7));
  Edge* edge = list.close();
  EXPECT_EQ(edge, &edges[2]);
  EXPECT_EQ(edge->next, &edges[1]);
  EXPECT_EQ(edge->next->next, &edges[0]);
  EXPECT_EQ(edge->next->next->next, nullptr);
}

TEST(SuccessorList, TakesNoEdgeOnceItIsClosed) {
  SuccessorList list;
  list.reset(1);
  EXPECT_FALSE(list.closed(1));
  EXPECT_EQ(list.close(), nullptr);
  EXPECT_TRUE(list.closed(1));
  Edge edge{};
  EXPECT_FALSE(list.try_add(&edge, 1));
}

TEST(SuccessorList, TakesNoEdgeForAnotherUseOfTheMemory) {
  SuccessorList list;
  list.reset(41);
  Edge edge{};
  EXPECT_FALSE(list.try_add(&edge, 40));
  EXPECT_TRUE(list.closed(40)) << "an earlier use has ended";
  EXPECT_FALSE(list.closed(41));
  EXPECT_TRUE(list.try_add(&edge, 41));
  EXPECT_EQ(list.close(), &edge);
}

TEST(SuccessorList, TellsGenerationsApartByTheirLowerBits) {
  SuccessorList list;
  const std::uint64_t generation = (std::uint64_t{3} << 48) + 0xffff;
  list.reset(generation);
  EXPECT_FALSE(list.closed(generation));
  EXPECT_TRUE(list.closed(generation - 1));
  list.reset(generation + 1);
  EXPECT_TRUE(list.closed(generation));
  Edge edge{};
  EXPECT_TRUE(list.try_add(&edge, generation + 1));
  EXPECT_EQ(list.close(), &edge);
}

TEST(Arrivals, EachIsToldHowManyAreMissing) {
  Arrivals arrivals;
  arrivals.expect(3);
  EXPECT_EQ(arrivals.arrive(0), 2u);
  EXPECT_EQ(arrivals.arrive(1), 1u);
  EXPECT_EQ(arrivals.arrive(2), 0u);
}

TEST(Arrivals, ThatNeedNotBeWaitedForMayBeTheLast) {
  Arrivals arrivals;
  arrivals.expect(3);
  EXPECT_FALSE(arrivals.arrive_unrun(1));
  EXPECT_EQ(arrivals.arrive(5), 1u);
  EXPECT_TRUE(arrivals.arrive_unrun(1));
}

// Who the task goes to when these workers have run its predecessors, in this order.
int home_after(std::initializer_list<int> workers) {
  Arrivals arrivals;
  arrivals.expect(static_cast<std::uint32_t>(workers.size()));
  int last = -1;
  for (const int& worker : workers) {
    EXPECT_EQ(arrivals.arrive(worker), &workers.end()[-1] - &worker);
    last = worker;
  }
  return arrivals.home(last);
}

TEST(Arrivals, SendATaskToWhoRanMostOfItsPredecessors) {
  EXPECT_EQ(home_after({4}), 4);
  EXPECT_EQ(home_after({4, 7}), 7) << "one each: it stays where it became ready";
  EXPECT_EQ(home_after({4, 4, 7}), 4);
  EXPECT_EQ(home_after({7, 4, 7, 7, 4}), 7);
  EXPECT_EQ(home_after({4, 7, 4}), 4);
  EXPECT_EQ(home_after({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 7}), 4) << "a lead larger than the word can hold";
}

TEST(Arrivals, OfWorkersBeyondTheVotersAreCountedAllTheSame) {
  EXPECT_EQ(home_after({static_cast<int>(policy::kVoters), static_cast<int>(policy::kVoters), 3}), 3);
}

TEST(TaskNote, HoldsANameOrAnExtra) {
  EXPECT_FALSE(TaskNote());
  EXPECT_EQ(TaskNote().name(), nullptr);
  const TaskNote named("axpy");
  EXPECT_TRUE(named);
  EXPECT_STREQ(named.name(), "axpy");
  EXPECT_EQ(named.extra(), nullptr);
  TaskExtra extra;
  extra.name = "extra";
  const TaskNote full(&extra);
  EXPECT_EQ(full.extra(), &extra);
  EXPECT_STREQ(full.name(), "extra");
}

TEST(TaskNote, OfAnUrgentTaskHasANameAndNoExtra) {
  const TaskNote note = TaskNote::urgent("send");
  EXPECT_FALSE(note.is_plain());
  EXPECT_STREQ(note.name(), "send");
  EXPECT_EQ(note.extra(), nullptr);
  EXPECT_EQ(note.hooks(), nullptr);
  EXPECT_EQ(note.wishes().priority, Priority::urgent);
  EXPECT_EQ(note.wishes().domain, -1);
  EXPECT_FALSE(note.is_prompt() || note.is_held());
  EXPECT_EQ(TaskNote::urgent(nullptr).name(), nullptr);
  EXPECT_FALSE(TaskNote::urgent(nullptr).is_plain());
  EXPECT_EQ(TaskNote("axpy").wishes().priority, Priority::normal);
  EXPECT_TRUE(TaskNote("axpy").is_plain() && TaskNote().is_plain());
}

TEST(TaskNote, KeepsBesideAnExtraThatTheTaskIsPromptAndHeld) {
  TaskHeap heap(0, 0);
  Task& task = *heap.allocate(0, nullptr);
  task.note = TaskNote::urgent("receive");
  task.note.make_prompt();
  task.note.hold();
  TaskExtra& extra = extra_of(task);
  const std::unique_ptr<TaskExtra> owned(&extra);
  EXPECT_EQ(task.note.extra(), &extra);
  EXPECT_STREQ(task.note.name(), "receive");
  EXPECT_EQ(task.note.wishes().priority, Priority::urgent);
  EXPECT_TRUE(task.note.is_prompt() && task.note.is_held());
  EXPECT_FALSE(task.note.is_only_held());
  EXPECT_FALSE(task.note.let_go()) << "its predecessors have ended, and it was not released";
  EXPECT_TRUE(task.note.is_only_held());
  EXPECT_TRUE(task.note.let_go());
  EXPECT_TRUE(task.note.is_prompt() && !task.note.is_held());
  EXPECT_EQ(task.note.extra(), &extra);
}

TEST(TaskExtra, EdgesStayWhereTheyAre) {
  TaskExtra extra;
  std::vector<Edge*> edges;
  for (int i = 0; i < 100; ++i) {
    edges.push_back(&extra.add_edge());
    edges.back()->target = static_cast<std::uintptr_t>(i);
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(edges[static_cast<std::size_t>(i)]->target, static_cast<std::uintptr_t>(i));
}

TEST(TaskHeap, UsesTheHottestMemoryAgainWithANewGeneration) {
  TaskHeap heap(0, std::uint64_t{5} << 48);
  Task* const task = heap.allocate(0, nullptr);
  const TaskRef ref = task->ref();
  EXPECT_EQ(ref.generation >> 48, 5u);
  EXPECT_FALSE(has_ended(ref));
  task->successors.close();
  EXPECT_TRUE(has_ended(ref));
  heap.free(task);
  EXPECT_EQ(heap.allocate(0, nullptr), task);
  EXPECT_TRUE(has_ended(ref));
  EXPECT_FALSE(has_ended(task->ref()));
}

TEST(TaskHeap, SizesDoNotMixAndSlotsDoNotOverlap) {
  TaskHeap heap(3, 0);
  std::set<std::uintptr_t> starts;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  for (std::size_t c = 0; c < TaskHeap::kClasses; ++c) {
    for (int i = 0; i < 300; ++i) {
      Task* const task = heap.allocate(c, nullptr);
      const auto start = reinterpret_cast<std::uintptr_t>(task);
      EXPECT_EQ(start % base::kDestructiveSize, 0u);
      EXPECT_EQ(task->heap, 3);
      EXPECT_EQ(task->size_class, c);
      ranges.emplace_back(start, start + detail::kSlotBytes[c]);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

TEST(TaskHeap, TakesBackWhatOthersFreedBeforeItGrows) {
  TaskHeap heap(0, 0);
  std::set<Task*> first;
  std::vector<Task*> all;
  Task* task = heap.allocate(1, nullptr);
  first.insert(task);
  all.push_back(task);
  // What one slab holds.
  for (std::size_t i = 1; i < (std::size_t{16} << 10) / detail::kSlotBytes[1]; ++i) {
    all.push_back(heap.allocate(1, nullptr));
    first.insert(all.back());
  }
  for (std::size_t at = 0; at < all.size();) {
    auto* batch = new FreeBatch;
    while (at < all.size() && batch->count < 10) batch->add(*all[at++]);
    heap.free_remote(batch);
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(first.count(heap.allocate(1, nullptr)), 1u);
}

// What others end comes back in batches of all sizes, a few at a time.
void give_back(TaskHeap& heap, const std::vector<Task*>& tasks, std::size_t per_batch) {
  for (std::size_t at = 0; at < tasks.size();) {
    auto* const batch = new FreeBatch;
    while (at < tasks.size() && batch->count < per_batch) {
      tasks[at]->successors.close();
      batch->add(*tasks[at++]);
    }
    heap.free_remote(batch);
  }
}

TEST(FreeBatch, KnowsEachTaskAndItsSize) {
  TaskHeap heap(0, 0);
  FreeBatch batch;
  std::vector<Task*> all;
  for (std::uint32_t i = 0; i < FreeBatch::kTasks; ++i) {
    all.push_back(heap.allocate(i % TaskHeap::kClasses, nullptr));
    batch.add(*all.back());
  }
  EXPECT_EQ(batch.count, FreeBatch::kTasks);
  for (std::uint32_t i = 0; i < FreeBatch::kTasks; ++i) {
    EXPECT_EQ(FreeBatch::task_of(batch.item[i]), all[i]);
    EXPECT_EQ(FreeBatch::class_of(batch.item[i]), i % TaskHeap::kClasses);
  }
}

std::array<std::size_t, TaskHeap::kClasses> slots_of(const TaskHeap& heap) {
  std::array<std::size_t, TaskHeap::kClasses> slots{};
  heap.for_each_slot([&](const Task& task) { ++slots[task.size_class]; });
  return slots;
}

// Sizes as they come in a program whose kinds of tasks take turns, and go back in another order.
TEST(TaskHeap, FindsEachSizeAmongWhatOthersFreed) {
  std::mt19937 random(7);
  for (const std::size_t per_batch : {std::size_t{1}, std::size_t{7}, std::size_t{FreeBatch::kTasks}}) {
    TaskHeap heap(0, 0);
    std::vector<Task*> living;
    std::map<Task*, std::uint64_t> generations;
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 200; ++i) {
        const std::size_t c = random() % TaskHeap::kClasses;
        Task* const task = heap.allocate(c, nullptr);
        ASSERT_EQ(task->size_class, c);
        ASSERT_FALSE(has_ended(task->ref()));
        std::uint64_t& before = generations.try_emplace(task, 0).first->second;
        ASSERT_LT(std::exchange(before, task->ref().generation), task->ref().generation) << "twice";
        living.push_back(task);
      }
      ASSERT_EQ(std::set<Task*>(living.begin(), living.end()).size(), living.size());
      std::shuffle(living.begin(), living.end(), random);
      const std::size_t keep = random() % 100;
      give_back(heap, {living.begin() + static_cast<std::ptrdiff_t>(keep), living.end()}, per_batch);
      living.resize(keep);
    }
    for (Task* const task : living) heap.free(task);
    // Nothing was lost: all the memory that there is can be had without more.
    const auto slots = slots_of(heap);
    std::vector<std::size_t> wanted;
    for (std::size_t c = 0; c < slots.size(); ++c) wanted.insert(wanted.end(), slots[c], c);
    std::shuffle(wanted.begin(), wanted.end(), random);
    std::set<Task*> all;
    for (const std::size_t c : wanted) EXPECT_TRUE(all.insert(heap.allocate(c, nullptr)).second) << "twice";
    EXPECT_EQ(slots_of(heap), slots);
  }
}

TEST(TaskHeap, TakesHeadersAloneThroughManyBatchesInARow) {
  TaskHeap heap(0, 0);
  std::vector<Task*> all;
  for (std::size_t i = 0; i < (std::size_t{16} << 10) / detail::kSlotBytes[0]; ++i)
    all.push_back(heap.allocate(0, nullptr));
  const std::set<Task*> first(all.begin(), all.end());
  EXPECT_EQ(first.size(), all.size());
  for (int round = 0; round < 10; ++round) {
    give_back(heap, all, 1 + static_cast<std::size_t>(round) * 6);
    std::set<Task*> again;
    for (Task*& task : all) {
      task = heap.allocate(0, nullptr);
      EXPECT_EQ(task->size_class, 0);
      EXPECT_TRUE(again.insert(task).second) << "twice";
    }
    EXPECT_EQ(again, first);
  }
}

// A batch goes back to the heap that filled it, which uses it again.
TEST(TaskHeap, GivesBatchesBackWhenTheyAreEmpty) {
  TaskHeap maker(0, 0), ender(1, 0);
  FreeBatch* const batch = ender.empty_batch();
  std::vector<Task*> all;
  for (int i = 0; i < 5; ++i) all.push_back(maker.allocate(0, nullptr));
  while (all.size() != (std::size_t{16} << 10) / detail::kSlotBytes[0]) all.push_back(maker.allocate(0, nullptr));
  for (std::size_t i = 0; i < 5; ++i) batch->add(*all[i]);
  maker.free_remote(batch);
  for (int i = 0; i < 5; ++i) EXPECT_NE(maker.allocate(0, nullptr), nullptr);
  static_cast<void>(maker.allocate(0, nullptr));  // finds the batch empty
  FreeBatch* const again = ender.empty_batch();
  EXPECT_EQ(again, batch);
  EXPECT_EQ(again->count, 0u);
  delete again;
}

TEST(TaskHeap, ATaskIsAliveFromWhenItIsOpened) {
  TaskHeap heap(0, std::uint64_t{5} << 48);
  for (int use = 0; use < 3; ++use) {
    Task* const task = heap.take(0, nullptr);
    EXPECT_TRUE(has_ended(task->ref()));
    TaskHeap::open(*task);
    EXPECT_FALSE(has_ended(task->ref()));
    task->successors.close();
    heap.free(task);
  }
}

TEST(Inbox, IsFirstInFirstOut) {
  Inbox inbox;
  Task tasks[3] = {};
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.try_pop(), nullptr);
  for (Task& task : tasks) inbox.push(&task);
  EXPECT_FALSE(inbox.empty());
  for (Task& task : tasks) EXPECT_EQ(inbox.try_pop(), &task);
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.try_pop(), nullptr);
  inbox.push(&tasks[1]);
  EXPECT_EQ(inbox.try_pop(), &tasks[1]);
}

}  // namespace
}  // namespace weir::sched
