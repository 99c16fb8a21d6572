// SPDX-License-Identifier: Apache-2.0

// Ranks that wait for one another, in a world whose messages come when the test says: a standstill is found, and
// nothing else is taken for one.
#include "cluster/standstill.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weir::cluster {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kLookNs = 50'000'000;  // from one look of a rank to its next

std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

// A message between two ranks: a tile, or a probe.
struct Sent {
  bool is_tile = false;
  Probe probe{};
  std::string text{};
};
class Roads {
 public:
  explicit Roads(std::uint32_t ranks) : ranks_(ranks), all_(std::size_t{ranks} * ranks) {}
  std::deque<Sent>& between(Rank from, Rank to) { return all_[index(from) * ranks_ + index(to)]; }
  const std::deque<Sent>& between(Rank from, Rank to) const { return all_[index(from) * ranks_ + index(to)]; }

 private:
  const std::size_t ranks_;
  std::vector<std::deque<Sent>> all_;
};

class SimulatedRank final : public Standstill::Place {
 public:
  SimulatedRank(Rank self, std::uint32_t ranks, Roads& roads) : self_(self), roads_(roads), standstill_(self, ranks) {}

  void wait_for(std::vector<Rank> senders) {
    waits_for = std::move(senders);
    ++events_;
  }
  void run() { wait_for({}); }
  void send_tile(Rank to) { roads_.between(self_, to).push_back({.is_tile = true}); }
  void receive(Rank from, const Sent& sent) {
    if (!sent.is_tile) return standstill_.note(from, sent.probe, sent.text);
    ++events_;
    if (std::find(waits_for.begin(), waits_for.end(), from) != waits_for.end()) run();
  }
  std::optional<std::string> look_at(std::uint64_t now_ns) { return standstill_.look(now_ns, *this); }

  Standstill::Look look() override {
    const Standstill::Look seen{!waits_for.empty() || is_still_by_itself, events_};
    if (behind_look) behind_look();
    return seen;
  }
  std::vector<Rank> depends_on() override { return waits_for; }
  std::string wish(Rank of) override { return fmt::format("waits for tile a[{}] of rank {}", index(self_), index(of)); }
  std::string aside() override { return aside_text; }
  void send(Rank to, const Probe& probe, std::string_view text) override {
    ++probes;
    roads_.between(self_, to).push_back({.probe = probe, .text = std::string(text)});
  }

  std::vector<Rank> waits_for;        // none: it runs
  bool is_still_by_itself = false;    // it does not run either
  std::function<void()> behind_look;  // what comes as soon as it has been looked at
  std::string aside_text;
  int probes = 0;

 private:
  const Rank self_;
  Roads& roads_;
  Standstill standstill_;
  std::uint64_t events_ = 0;
};

class World {
 public:
  explicit World(std::uint32_t ranks) : roads_(ranks) {
    for (std::uint32_t i = 0; i < ranks; ++i) ranks_.push_back(std::make_unique<SimulatedRank>(Rank{i}, ranks, roads_));
  }
  SimulatedRank& rank(std::size_t i) { return *ranks_[i]; }
  std::size_t size() const { return ranks_.size(); }

  std::deque<Sent>& road(Rank from, Rank to) { return roads_.between(from, to); }
  // The oldest message on it.
  void deliver(Rank from, Rank to) {
    std::deque<Sent>& messages = road(from, to);
    if (messages.empty()) return;
    const Sent sent = std::move(messages.front());
    messages.pop_front();
    rank(index(to)).receive(from, sent);
  }
  void deliver_all() {
    for (const auto& from : ranks_of())
      for (const auto& to : ranks_of())
        while (!road(from, to).empty()) deliver(from, to);
  }
  std::optional<std::string> look(std::size_t i) {
    now_ns_ += kLookNs / ranks_.size();
    return rank(i).look_at(now_ns_);
  }
  // All look in turn, and all messages come, for so long.
  std::optional<std::string> pass(double seconds) {
    const std::uint64_t end = now_ns_ + static_cast<std::uint64_t>(seconds * 1e9);
    while (now_ns_ < end) {
      deliver_all();
      for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (auto found = look(i)) return found;
    }
    return std::nullopt;
  }
  // Whether a rank will never go on: seen from above.
  std::vector<bool> stuck() const {
    std::vector<bool> stuck(ranks_.size(), true);
    for (bool changes = true; std::exchange(changes, false);) {
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (!stuck[i] || !can_go_on(i, stuck)) continue;
        stuck[i] = false;
        changes = true;
      }
    }
    return stuck;
  }
  std::vector<Rank> ranks_of() const {
    std::vector<Rank> all;
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) all.push_back(Rank{i});
    return all;
  }

 private:
  bool can_go_on(std::size_t i, const std::vector<bool>& stuck) const {
    const std::vector<Rank>& senders = ranks_[i]->waits_for;
    return senders.empty() || std::any_of(senders.begin(), senders.end(), [&](Rank sender) {
             const std::deque<Sent>& road = roads_.between(sender, Rank{static_cast<std::uint32_t>(i)});
             return !stuck[index(sender)] ||
                    std::any_of(road.begin(), road.end(), [](const Sent& sent) { return sent.is_tile; });
           });
  }

  Roads roads_;
  std::vector<std::unique_ptr<SimulatedRank>> ranks_;
  std::uint64_t now_ns_ = 1'000'000'000;
};

TEST(Standstills, TwoRanksThatWaitForEachOtherAreNamedWithWhatTheyWaitFor) {
  World world(2);
  world.rank(0).wait_for({Rank{1}});
  world.rank(1).wait_for({Rank{0}});
  EXPECT_EQ(world.pass(3), "rank 0 waits for tile a[0] of rank 1; rank 1 waits for tile a[1] of rank 0");
}

TEST(Standstills, WhatARankKnowsBesidesIsSaidWithWhatItWaitsFor) {
  World world(2);
  world.rank(0).wait_for({Rank{1}});
  world.rank(1).wait_for({Rank{0}});
  world.rank(1).aside_text = "rank 0 has refused call 2";
  EXPECT_EQ(world.pass(3),
            "rank 0 waits for tile a[0] of rank 1; rank 1 waits for tile a[1] of rank 0; rank 0 has refused call 2");
}

TEST(Standstills, ARingOfRanksIsFound) {
  for (const std::uint32_t ranks : {3u, 4u, 30u}) {
    World world(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) world.rank(i).wait_for({Rank{(i + 1) % ranks}});
    const auto found = world.pass(30);
    ASSERT_TRUE(found) << ranks;
    EXPECT_THAT(*found, HasSubstr("rank 2 waits for tile a[2] of rank"));
  }
}

TEST(Standstills, RanksOfWhichEachWaitsForAllOthersAreFoundByFewProbes) {
  constexpr std::uint32_t kRanks = 20;
  World world(kRanks);
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    std::vector<Rank> others = world.ranks_of();
    std::erase(others, Rank{i});
    world.rank(i).wait_for(others);
  }
  ASSERT_TRUE(world.pass(10));
  for (std::uint32_t i = 0; i < kRanks; ++i) EXPECT_LE(world.rank(i).probes, static_cast<int>(8 * kRanks));
}

TEST(Standstills, WhileOneOfThemRunsNothingIsFoundHoweverLongThatTakes) {
  World world(4);
  world.rank(0).wait_for({Rank{1}, Rank{2}});
  world.rank(1).wait_for({Rank{0}});
  world.rank(2).wait_for({Rank{1}, Rank{3}});
  EXPECT_FALSE(world.pass(100));
  EXPECT_LE(world.rank(0).probes, 200) << "searches become rare";
  world.rank(3).wait_for({Rank{0}});
  EXPECT_TRUE(world.pass(15));
}

TEST(Standstills, ARankThatWaitsForThoseThatWaitForOneAnotherIsFoundWithThem) {
  World world(3);
  world.rank(0).wait_for({Rank{1}});
  world.rank(1).wait_for({Rank{2}});
  world.rank(2).wait_for({Rank{1}});
  EXPECT_TRUE(world.pass(5));
}

// Rank 0 has not got the tile that rank 1 sent before it began to wait: an answer of rank 1 is behind it.
TEST(Standstills, ATileThatIsOnItsWayIsNoStandstill) {
  World world(2);
  world.rank(1).send_tile(Rank{0});
  world.rank(0).wait_for({Rank{1}});
  world.rank(1).wait_for({Rank{0}});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(world.look(0) || world.look(1));
    world.deliver(Rank{0}, Rank{1});
  }
  EXPECT_GT(world.rank(1).probes, 0);
  EXPECT_FALSE(world.pass(20));
  EXPECT_TRUE(world.rank(0).waits_for.empty());
}

// Rank 0 gets a tile of rank 2 between its probes and the answers, sends rank 1 what that waits for, and waits again.
TEST(Standstills, ARankToWhichSomethingHappensBetweenProbeAndAnswerIsInNone) {
  World world(3);
  world.rank(0).wait_for({Rank{1}, Rank{2}});
  world.rank(1).wait_for({Rank{0}});
  while (world.rank(0).probes == 0) EXPECT_FALSE(world.look(0) || world.look(1));
  for (int i = 0; i < 3; ++i) {
    world.deliver(Rank{0}, Rank{1});
    world.deliver(Rank{0}, Rank{2});
    if (i == 1) world.deliver(Rank{1}, Rank{0});  // its probe, and not its answer
    EXPECT_FALSE(world.look(0) || world.look(1) || world.look(2));
  }
  world.rank(2).send_tile(Rank{0});
  world.rank(2).wait_for({Rank{0}});
  while (world.rank(2).probes == 0) EXPECT_FALSE(world.look(2));
  world.deliver(Rank{2}, Rank{0});
  EXPECT_TRUE(world.rank(0).waits_for.empty());
  world.rank(0).send_tile(Rank{1});
  world.rank(0).wait_for({Rank{1}, Rank{2}});
  for (int i = 0; i < 10; ++i) {
    for (const Rank other : {Rank{1}, Rank{2}}) world.deliver(other, Rank{0});
    EXPECT_FALSE(world.look(0) || world.look(2));
    world.deliver(Rank{0}, Rank{2});
  }
  EXPECT_FALSE(world.pass(10)) << "rank 1 goes on";
  world.rank(1).wait_for({Rank{2}});
  EXPECT_TRUE(world.pass(10));
}

// Rank 0 has got a tile of rank 2 when it reads the answer of that, and both have come since it was looked at.
TEST(Standstills, AnAnswerThatIsReadHasNotOvertakenATile) {
  World world(3);
  world.rank(2).send_tile(Rank{0});
  world.rank(0).wait_for({Rank{2}});
  world.rank(1).wait_for({Rank{0}});
  world.rank(2).wait_for({Rank{1}});
  world.rank(0).behind_look = [&] {
    if (world.rank(2).probes < 3) return;  // to rank 1, and its answers
    while (!world.road(Rank{2}, Rank{0}).empty()) world.deliver(Rank{2}, Rank{0});
  };
  for (int i = 0; i < 500; ++i) {
    for (const auto& [from, to] : {std::pair(0u, 2u), {2u, 1u}, {1u, 2u}, {1u, 0u}, {0u, 1u}})
      while (!world.road(Rank{from}, Rank{to}).empty()) world.deliver(Rank{from}, Rank{to});
    EXPECT_FALSE(world.look(0) || world.look(1) || world.look(2));
  }
  EXPECT_TRUE(world.rank(0).waits_for.empty());
}

TEST(Standstills, ARankThatStandsStillForAnUnknownReasonIsInNone) {
  World world(2);
  world.rank(0).wait_for({Rank{1}});
  world.rank(1).is_still_by_itself = true;
  EXPECT_FALSE(world.pass(20));
}

TEST(Standstills, WhatManyRanksWaitForIsCutShort) {
  constexpr std::uint32_t kRanks = 60;
  World world(kRanks);
  for (std::uint32_t i = 0; i < kRanks; ++i) world.rank(i).wait_for({Rank{i / 2 == 0 ? (i + 1) % 2 : i / 2}});
  world.rank(0).wait_for(world.ranks_of());
  std::erase(world.rank(0).waits_for, Rank{0});
  const auto found = world.pass(20);
  ASSERT_TRUE(found);
  EXPECT_LE(found->size(), 1600u);
  EXPECT_TRUE(found->ends_with("...")) << *found;
  EXPECT_THAT(*found, HasSubstr("waits for tile a[0] of rank 2 and waits for tile a[0] of rank 3"));
}

// Ranks that run for a while, in any order; then those that still run send nothing more.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed), world_(2 + static_cast<std::uint32_t>(random_() % 4)) {}

  struct Outcome {
    bool is_found = false, is_stuck = false;  // the rank that has found something, or any at the end
  };
  Outcome outcome() {
    const std::uint64_t patience = 1 + random_() % 200, most_behind = random_() % 3;
    hurries_ = random_() % 2 == 0;
    for (const Rank rank : world_.ranks_of()) {
      world_.rank(index(rank)).behind_look = [this, rank, most_behind] {
        for (std::uint64_t messages = random_() % (most_behind + 1); messages != 0; --messages) deliver_to(rank);
      };
    }
    for (int step = 0; step < 6000; ++step) {
      if (const Rank rank = any(); runs(rank) && random_() % patience == 0) act(rank);
      deliver_to(any());
      const std::size_t looker = index(any());
      if (world_.look(looker)) return {true, world_.stuck()[looker]};
    }
    for (const Rank rank : world_.ranks_of()) world_.rank(index(rank)).behind_look = nullptr;
    const std::vector<bool> stuck = world_.stuck();
    return {world_.pass(30).has_value(), std::find(stuck.begin(), stuck.end(), true) != stuck.end()};
  }

 private:
  Rank any() { return Rank{static_cast<std::uint32_t>(random_() % world_.size())}; }
  bool runs(Rank rank) { return world_.rank(index(rank)).waits_for.empty(); }
  Rank other_than(Rank self) {
    return Rank{static_cast<std::uint32_t>((index(self) + 1 + random_() % (world_.size() - 1)) % world_.size())};
  }
  // Mostly one that waits for it.
  Rank receiver_of(Rank self) {
    for (int tries = 0; tries < 3; ++tries) {
      const Rank to = other_than(self);
      const std::vector<Rank>& senders = world_.rank(index(to)).waits_for;
      if (std::find(senders.begin(), senders.end(), self) != senders.end()) return to;
    }
    return other_than(self);
  }
  // What a rank does when a tile has come may take it no time.
  void deliver_to(Rank to) {
    const bool waited = !runs(to);
    world_.deliver(any(), to);
    while (hurries_ && waited && runs(to)) act(to);
  }
  // One step of a rank that runs: it sends a tile, or waits for some.
  void act(Rank self) {
    if (random_() % 4 != 0) return world_.rank(index(self)).send_tile(receiver_of(self));
    std::vector<Rank> senders{other_than(self)};
    while (random_() % 2 == 0) senders.push_back(other_than(self));
    std::sort(senders.begin(), senders.end());
    senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
    world_.rank(index(self)).wait_for(std::move(senders));
  }

  std::mt19937_64 random_;
  World world_;
  bool hurries_ = false;
};

TEST(Standstills, AreFoundWhereThereAreSomeAndNowhereElse) {
  int stuck = 0, found = 0;
  constexpr std::uint64_t kSeeds = 560;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomRun::Outcome outcome = RandomRun(seed).outcome();
    EXPECT_EQ(outcome.is_found, outcome.is_stuck) << "seed " << seed;
    stuck += outcome.is_stuck ? 1 : 0;
    found += outcome.is_found ? 1 : 0;
  }
  EXPECT_GT(stuck, 20);
  EXPECT_LT(stuck, static_cast<int>(kSeeds) - 20);
  EXPECT_EQ(found, stuck);
}

}  // namespace
}  // namespace weir::cluster
