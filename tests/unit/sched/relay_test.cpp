// SPDX-License-Identifier: Apache-2.0

// Edges from tasks of other heaps.
#include "sched/relay.hpp"

#include <gtest/gtest.h>

#include "sched/task_heap.hpp"

namespace weir::sched {
namespace {

struct RelayTest : ::testing::Test {
  Task& take() { return *heap.allocate(0, nullptr); }
  static void end(Task& task) { EXPECT_EQ(task.successors.close(), nullptr); }
  static std::uintptr_t target_of(Task& task) { return reinterpret_cast<std::uintptr_t>(&task); }

  TaskHeap heap{3, std::uint64_t{5} << 48};
};

TEST_F(RelayTest, TellsWhomItWasMadeFor) {
  Task &before = take(), &behind = take();
  ASSERT_TRUE(Relay::link(before.ref(), target_of(behind)));
  const Edge* const edge = before.successors.close();
  ASSERT_NE(edge, nullptr);
  EXPECT_EQ(edge->next, nullptr);
  ASSERT_TRUE(Relay::is_relay(edge->target));
  EXPECT_EQ(Relay::look(edge->target), target_of(behind));
  EXPECT_EQ(Relay::follow(edge->target), target_of(behind));
}

TEST_F(RelayTest, IsNotMadeForATaskThatHasEnded) {
  Task &before = take(), &behind = take();
  const TaskRef ref = before.ref();
  end(before);
  EXPECT_FALSE(Relay::link(ref, target_of(behind)));
}

// As when the thread that links it loses its processor after it has seen that the task has not ended.
TEST_F(RelayTest, LeadsNowhereFromALaterUseOfTheMemoryWithTheSameTag) {
  Task &behind = take(), &before = take();
  const TaskRef ref = before.ref();
  Task* stranger = &before;
  for (int uses = 0; uses < 1 << 16; ++uses) {
    end(*stranger);
    heap.free(stranger);
    stranger = &take();
    ASSERT_EQ(stranger, &before);
  }
  Edge own{};
  ASSERT_TRUE(has_ended(ref));
  ASSERT_TRUE(stranger->successors.try_add(&own, ref.generation)) << "by the tag alone they are the same";
  EXPECT_FALSE(Relay::link(ref, target_of(behind)));
  const Edge* const edge = stranger->successors.close();
  ASSERT_NE(edge, &own);
  EXPECT_EQ(edge->next, &own);
  ASSERT_TRUE(Relay::is_relay(edge->target));
  EXPECT_EQ(Relay::look(edge->target), 0u);
  EXPECT_EQ(Relay::follow(edge->target), 0u);
}

}  // namespace
}  // namespace weir::sched
