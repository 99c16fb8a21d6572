// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace weir::transport::loopback {
namespace {

Pending::Random random_from(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)](std::uint64_t limit) mutable { return engine() % limit; };
}

constexpr Rank kOne{1}, kTwo{2};

TEST(Pending, DoesOperationsInAnyOrderThatFencesLeave) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::vector<int> order;
    Pending pending;
    const auto add = [&](Rank to, int name) { pending.add(to, [&order, name] { order.push_back(name); }); };
    add(kOne, 0), add(kOne, 1), add(kTwo, 2);
    pending.fence();
    add(kOne, 3), add(kTwo, 4);
    pending.do_all(random_from(seed));
    const auto at = [&](int name) { return std::find(order.begin(), order.end(), name); };
    EXPECT_LT(at(0), at(3));
    EXPECT_LT(at(1), at(3));
    EXPECT_LT(at(2), at(4));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10u);  // of 20
}

TEST(Pending, CompletesForOneRankWhatGoesThere) {
  int one = 0, two = 0;
  Pending pending;
  for (int i = 0; i < 5; ++i) pending.add(kOne, [&] { ++one; }), pending.add(kTwo, [&] { ++two; });
  pending.do_all_to(kTwo, random_from(1));
  EXPECT_EQ(one, 0);
  EXPECT_EQ(two, 5);
  EXPECT_FALSE(pending.is_empty());
}

TEST(Network, IsQuietForARankWhenItsChannelsAre) {
  Network network(3, random_from(1));
  Pending first, second, others;
  network.open(kOne, first), network.open(kOne, second), network.open(kTwo, others);
  others.add(kOne, [] {});
  EXPECT_TRUE(network.is_quiet(kOne));
  second.add(kTwo, [] {});
  EXPECT_FALSE(network.is_quiet(kOne));
  second.do_all(random_from(1));
  EXPECT_TRUE(network.is_quiet(kOne));
  EXPECT_FALSE(network.is_quiet(kTwo));
  network.close(others);
  EXPECT_TRUE(network.is_quiet(kTwo));
}

TEST(Network, DeliversMessagesOfOneWayInOrderAndOfSeveralInAny) {
  std::set<std::vector<std::uint16_t>> orders;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Network network(3, random_from(seed));
    network.send(Rank{0}, {kOne, 0, {}});
    network.send(Rank{0}, {kTwo, 10, {}});
    network.send(Rank{0}, {kOne, 1, {}});
    network.send(Rank{0}, {kTwo, 11, {}});
    EXPECT_EQ(network.on_way(kOne, Rank{0}), 2u);
    while (network.happen()) {
    }
    std::vector<std::uint16_t> order;
    for (const Message& message : network.inbox(Rank{0})) order.push_back(message.handler);
    const auto at = [&](int name) { return std::find(order.begin(), order.end(), name); };
    EXPECT_LT(at(0), at(1));
    EXPECT_LT(at(10), at(11));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Network, ForgetsWhatGoesToAndFromALostRank) {
  Network network(3, random_from(1));
  network.send(kOne, {kTwo, 0, {}});
  network.send(kTwo, {kOne, 0, {}});
  network.send(Rank{0}, {kOne, 0, {}});
  network.lose(kTwo);
  EXPECT_TRUE(network.happen());
  EXPECT_FALSE(network.happen());
  EXPECT_EQ(network.inbox(Rank{0}).size(), 1u);
}

}  // namespace
}  // namespace weir::transport::loopback
