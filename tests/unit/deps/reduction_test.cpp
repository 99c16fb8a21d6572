// SPDX-License-Identifier: Apache-2.0

// Reductions: members run together, one node combines their copies, everybody else is before or after that node.
#include <functional>

#include "scenario.hpp"

namespace weir::deps::test {
namespace {

class Reductions : public Scenario {
 protected:
  auto sum(double& x) { return reduce(x, std::plus<>{}, kZero); }
  static constexpr double kZero = 0;
};

TEST_F(Reductions, RunMembersTogetherAndCombineBeforeTheNextAccess) {
  double x = 0;
  const NodeRef w = spawn(out(x)), m1 = spawn(sum(x)), m2 = spawn(sum(x)), r = spawn(in(x));
  EXPECT_EQ(before(m1), nobody());  // it writes a copy of its own
  EXPECT_EQ(before(m2), nobody());
  const int combine = graph_.node(m1).groups.at(0);
  EXPECT_EQ(graph_.node(m2).groups.at(0), combine);
  const auto& node = graph_.node(combine);
  EXPECT_EQ(std::set<int>(node.before.begin(), node.before.end()), nodes({w, m1, m2}));
  EXPECT_TRUE(node.sealed);
  EXPECT_EQ(before(r), std::set<int>{combine});
}

TEST_F(Reductions, StayOpenUntilSomebodyAsksOrTheScopeWaits) {
  double x = 0;
  const NodeRef m = spawn(sum(x));
  EXPECT_FALSE(graph_.node(graph_.node(m).groups.at(0)).sealed);
  map_.close_reductions(graph_);
  EXPECT_TRUE(graph_.node(graph_.node(m).groups.at(0)).sealed);
  const NodeRef next = spawn(sum(x));
  EXPECT_NE(graph_.node(next).groups.at(0), graph_.node(m).groups.at(0));
  EXPECT_EQ(graph_.node(graph_.node(next).groups.at(0)).before.front(), graph_.node(m).groups.at(0));
}

TEST_F(Reductions, KeepDifferentOperationsOnOneObjectApart) {
  double x = 0;
  const NodeRef a = spawn(sum(x)), b = spawn(reduce(x, std::multiplies<>{}, kZero));
  const NodeRef c = spawn(reduce_ordered(x, std::multiplies<>{}, kZero));
  EXPECT_NE(graph_.node(a).groups, graph_.node(b).groups);
  EXPECT_NE(graph_.node(b).groups, graph_.node(c).groups);
  EXPECT_TRUE(graph_.node(graph_.node(a).groups.at(0)).sealed);
}

TEST_F(Reductions, JoinOncePerItemInTheOrderOfTheItems) {
  double x = 0, y = 0, z = 0;
  const NodeRef a = spawn(sum(x)), b = spawn(sum(y), in(z), sum(x), sum(x));
  const int group_x = graph_.node(a).groups.at(0), group_y = graph_.node(b).groups.at(0);
  EXPECT_EQ(graph_.node(b).groups, (std::vector{group_y, group_x, group_x}));
}

TEST_F(Reductions, NeverMakeAMemberWaitForItsOwnCombiningNode) {
  double x[2];
  Watched<double> both(x, 2, 2);
  spawn(in(both.block(0)));
  const NodeRef a = spawn(sum(x[0]), inout(x[0]), sum(x[1]));
  EXPECT_EQ(before(a).size(), 1u);
  map_.close_reductions(graph_);
  graph_.finish(0);
  graph_.finish(a);
  for (const int combine : graph_.node(a).groups) {
    EXPECT_TRUE(graph_.ready(combine));
    graph_.finish(combine);
  }
}

TEST_F(Reductions, CloseWhenAPartOfTheObjectIsNamed) {
  struct Pair {
    double a, b;
  } pair;
  auto item = inout(pair);
  item.access.mode = Mode::reduce;
  const NodeRef m = spawn(item), r = spawn(in(pair.b));
  EXPECT_EQ(before(r), std::set<int>{graph_.node(m).groups.at(0)});
  EXPECT_EQ(before(spawn(in(pair.a))), std::set<int>{graph_.node(m).groups.at(0)});
}

TEST_F(Reductions, StandOpenInLargeNumbers) {
  std::vector<double> bins(2'000);
  for (int round = 0; round < 2; ++round)
    for (double& bin : bins) spawn(sum(bin));
  int combines = 0;
  for (int i = 0; i < graph_.size(); ++i) combines += graph_.node(i).what == FakeGraph::What::combine;
  EXPECT_EQ(combines, 2'000);
}

}  // namespace
}  // namespace weir::deps::test
