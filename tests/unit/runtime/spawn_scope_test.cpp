// SPDX-License-Identifier: Apache-2.0

// The nodes of the graph that are no tasks of the program.
#include "runtime/spawn_scope.hpp"

#include <gtest/gtest.h>

#include "one_worker.hpp"
#include "runtime/held_task.hpp"
#include "runtime/runtime_state.hpp"
#include "weir/weir.hpp"

namespace weir::runtime {
namespace {

TEST(SpawnScope, CountsMorePredecessorsOfAJoinThanItsWordHolds) {
  Runtime runtime(one_worker());
  SpawnScope& scope = scope_of(worker_in(*detail::RuntimeAccess::state(runtime)));
  const Handle<> first = runtime.spawn(kHeld, [] {}), last = runtime.spawn(kHeld, [] {});
  const auto node_of = [](const Handle<>& handle) {
    const detail::TaskRef ref = detail::HandleAccess::ref(handle);
    return deps::NodeRef{ref.task, ref.generation};
  };
  const deps::NodeRef join = scope.make_join();
  // As many tasks as that need much time and memory; the edges are counted.
  for (std::uint32_t i = 0; i < sched::Arrivals::kMost + 10; ++i)
    ASSERT_TRUE(scope.add_edge(node_of(i % 2 == 0 ? first : last), join));
  scope.seal_join(join);
  HeldTask(first).release();
  EXPECT_TRUE(first.finished());
  runtime.wait(runtime.spawn(Priority::background, [] {}));  // behind all that is ready
  EXPECT_FALSE(scope.finished(join)) << "one of those that come before it has not run";
  HeldTask(last).release();
  runtime.wait();
  EXPECT_TRUE(scope.finished(join));
}

}  // namespace
}  // namespace weir::runtime
