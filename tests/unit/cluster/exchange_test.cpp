// SPDX-License-Identifier: Apache-2.0

// Tiles between ranks whose messages come late and in other orders, by seeds: each arrives once, with its bytes.
#include "cluster/exchange.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "transport/loopback/world.hpp"

namespace weir::cluster {
namespace {

using transport::Transport;

struct Counting final : Ending {
  explicit Counting(int& ended, int& gave_up) : ended_(ended), gave_up_(gave_up) {}
  void done() noexcept override { ++ended_; }
  void failed(const std::string&) noexcept override { ++gave_up_; }
  int &ended_, &gave_up_;
};

// A tile that is awaited, and taken: at once when it is announced, or when this rank comes to it.
struct Wanted {
  Exchange& exchange;
  TileVersion what;
  std::vector<std::byte> bytes;
  bool waits;  // it cannot take it at once
  int &ended, &gave_up;
  bool told = false;
  Rank from{};

  Receiver receiver() {
    return {this,
            [](void* who) noexcept {
              auto& self = *static_cast<Wanted*>(who);
              if (!self.waits) self.take();
              return !self.waits;
            },
            [](void* who) noexcept { static_cast<Wanted*>(who)->told = true; }, from, "a[3]"};
  }
  void take() {
    if (exchange.receive(what, bytes, "a[3]", [this] { return std::make_unique<Counting>(ended, gave_up); })) ++ended;
  }
};

constexpr std::size_t kTile = 9000;  // bytes of a large one

std::byte content(const TileVersion& what, Rank from, std::size_t at) {
  return static_cast<std::byte>(what.id.tile * 31 + what.version * 7 + static_cast<std::uint32_t>(from) + at);
}

// Every rank sends tiles, small and large, to every other, and awaits as many, in an order of its own.
void all_to_all(Transport& transport, std::uint64_t seed, std::uint32_t tiles) {
  Exchange exchange(transport);
  const auto region = transport.make_region({.size = {tiles * kTile}});
  ASSERT_TRUE(region);
  const Rank self = transport.rank();
  int ended = 0, gave_up = 0, wanted = 0;
  struct Step {
    TileVersion what;
    Rank other;
    bool sends;
  };
  std::vector<Step> steps;
  for (std::uint32_t other = 0; other < transport.ranks(); ++other) {
    if (Rank{other} == self) continue;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const auto id = [&](std::uint32_t from, std::uint32_t to) { return TileId{from, to * tiles + tile}; };
      steps.push_back({{id(static_cast<std::uint32_t>(self), other), tile}, Rank{other}, true});
      steps.push_back({{id(other, static_cast<std::uint32_t>(self)), tile}, Rank{other}, false});
    }
  }
  std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(self));
  std::shuffle(steps.begin(), steps.end(), random);
  std::map<std::size_t, std::unique_ptr<Wanted>> received;
  const auto take_told = [&] {
    for (auto& [step, wanted_tile] : received)
      if (std::exchange(wanted_tile->told, false)) wanted_tile->take();
  };
  std::vector<std::unique_ptr<std::vector<std::byte>>> sent;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool is_small = step.what.version % 2 == 0;
    const std::size_t bytes = is_small ? 1 + step.what.version * 100 : kTile;
    if (!step.sends) {
      ++wanted;
      received[i] = std::make_unique<Wanted>(
          Wanted{exchange, step.what, std::vector<std::byte>(bytes), random() % 2 == 0, ended, gave_up});
      exchange.await(step.what, received[i]->receiver());
    } else if (is_small) {
      std::vector<std::byte> data(bytes);
      for (std::size_t at = 0; at < bytes; ++at) data[at] = content(step.what, self, at);
      exchange.send_small(step.what, step.other, data);
    } else {
      std::byte* const data = region->data + step.what.version * kTile;  // the same for all: the version says it
      for (std::size_t at = 0; at < bytes; ++at) data[at] = content({{}, step.what.version}, Rank{0}, at);
      ++wanted;
      exchange.offer(step.what, step.other, region->id, step.what.version * kTile, bytes,
                     std::make_unique<Counting>(ended, gave_up));
    }
    transport.progress();
  }
  take_told();
  while (ended < wanted) {
    if (!transport.progress()) transport.wait_for_arrival(1000);
    take_told();
  }
  EXPECT_EQ(gave_up, 0);
  for (const auto& [i, wanted_tile] : received) {
    const std::vector<std::byte>& bytes = wanted_tile->bytes;
    const Step& step = steps[i];
    const bool is_small = step.what.version % 2 == 0;
    const TileVersion what = is_small ? step.what : TileVersion{{}, step.what.version};
    for (std::size_t at = 0; at < bytes.size(); ++at)
      ASSERT_EQ(bytes[at], content(what, is_small ? step.other : Rank{0}, at)) << "byte " << at << " seed " << seed;
  }
  ASSERT_TRUE(transport.barrier());
  ASSERT_TRUE(transport.leave());
}

TEST(Exchanges, EveryTileArrivesOnceWithItsBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto outcome = transport::loopback::run({.ranks = 3, .seed = seed, .ranks_per_host = 3},
                                                  [&](Transport& rank) { all_to_all(rank, seed, 6); });
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
  }
}

TEST(Exchanges, TilesGoToHundredsOfRanks) {
  const auto outcome = transport::loopback::run({.ranks = 120, .seed = 5, .ranks_per_host = 120},
                                                [&](Transport& rank) { all_to_all(rank, 5, 1); });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
}

TEST(Exchanges, WhoAwaitsATileIsToldOfAFailureBeforeOrAfterIt) {
  const auto outcome = transport::loopback::run({.ranks = 2, .seed = 4, .ranks_per_host = 2}, [&](Transport& rank) {
    Exchange exchange(rank);
    int ended = 0, gave_up = 0;
    Wanted early{exchange, {{0, 0}, 1}, std::vector<std::byte>(8), true, ended, gave_up};
    Wanted late{exchange, {{0, 0}, 2}, std::vector<std::byte>(8), true, ended, gave_up};
    exchange.await(early.what, early.receiver());
    EXPECT_FALSE(early.told);
    ASSERT_TRUE(rank.barrier());
    if (rank.rank() == Rank{1}) exchange.announce_own_failure("no such luck");
    while (!exchange.has_failed()) {
      if (!rank.progress()) rank.wait_for_arrival(1000);
    }
    exchange.await(late.what, late.receiver());
    EXPECT_TRUE(early.told && late.told);
    early.take();
    late.take();
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(gave_up, 2);
    ASSERT_TRUE(rank.leave());
  });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
}

// Small and large, from a neighbour and from another host.
TEST(Exchanges, ATileThatHasAnotherLengthOnItsSenderIsAFailureOfAllRanks) {
  for (const std::size_t sent : {std::size_t{40}, kTile}) {
    for (const std::size_t room : {sent - 8, sent + 8}) {
      for (const std::uint32_t ranks_per_host : {1u, 3u}) {
        const auto outcome =
            transport::loopback::run({.ranks = 3, .seed = 6, .ranks_per_host = ranks_per_host}, [&](Transport& rank) {
              Exchange exchange(rank);
              const auto region = rank.make_region({.size = {kTile}});
              ASSERT_TRUE(region);
              const TileVersion what{{0, 3}, 1};
              int ended = 0, gave_up = 0;
              Wanted wanted{exchange, what, std::vector<std::byte>(room), true, ended, gave_up};
              if (rank.rank() == Rank{0} && Exchange::is_small(sent))
                exchange.send_small(what, Rank{1}, std::span(region->data, sent));
              else if (rank.rank() == Rank{0})
                exchange.offer(what, Rank{1}, region->id, 0, sent, std::make_unique<Counting>(ended, gave_up));
              else if (rank.rank() == Rank{1})
                exchange.await(what, wanted.receiver());
              while (!exchange.has_failed()) {
                if (!rank.progress()) rank.wait_for_arrival(1000);
                if (std::exchange(wanted.told, false)) wanted.take();
              }
              EXPECT_TRUE(exchange.failure().starts_with(
                  fmt::format("tile a[3] has {} bytes on rank 0, which sends it, and {} on rank 1", sent, room)))
                  << exchange.failure();
              EXPECT_EQ(ended, 0);
              EXPECT_EQ(gave_up,
                        rank.rank() == Rank{1} || (rank.rank() == Rank{0} && !Exchange::is_small(sent)) ? 1 : 0);
              ASSERT_TRUE(rank.leave());
            });
        for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
      }
    }
  }
}

// Rank 1 has failed, said so, and ended: rank 0 knows that it is lost, and has not read yet what it had said.
TEST(Exchanges, WhyARankHasFailedIsWhatTheOthersAreToldAlsoByWhoFindsItLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto outcome = transport::loopback::run({.ranks = 2, .seed = seed, .ranks_per_host = 2}, [](Transport& rank) {
      Exchange exchange(rank);
      const auto region = rank.make_region({.size = {kTile}});
      ASSERT_TRUE(region);
      if (rank.rank() == Rank{1}) {
        exchange.announce_own_failure("no such luck");
        for (int turn = 0; turn < 200; ++turn) rank.wait_for_arrival(0);  // until that has arrived
        return;
      }
      while (!rank.lost()) rank.wait_for_arrival(0);
      int ended = 0, gave_up = 0;
      exchange.send_small({{0, 0}, 1}, Rank{1}, std::array<std::byte, 8>{});
      exchange.offer({{0, 0}, 2}, Rank{1}, region->id, 0, kTile, std::make_unique<Counting>(ended, gave_up));
      EXPECT_FALSE(exchange.has_failed());
      EXPECT_EQ(gave_up, 0);
      while (rank.progress()) {
      }
      EXPECT_EQ(exchange.failure(), "rank 1 has failed: no such luck");
      EXPECT_EQ(ended, 0);
      EXPECT_EQ(gave_up, 1);
    });
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
  }
}

// Messages come, and nothing that is awaited does.
void look_twice(Transport& rank, Exchange& exchange) {
  while (rank.progress()) {
  }
  rank.wait_for_arrival(1000);
  exchange.inquire();
}

std::string failure_of_awaiting(Meeting at, std::uint64_t seed) {
  std::string failure;
  const auto outcome = transport::loopback::run({.ranks = 2, .seed = seed, .ranks_per_host = 2}, [&](Transport& rank) {
    Exchange exchange(rank);
    if (rank.rank() == Rank{1}) {
      const base::Status status = exchange.barrier(at, [&] {
        if (!rank.progress()) rank.wait_for_arrival(1000);
        return true;
      });
      EXPECT_EQ(status.code, base::Code::lost);
      ASSERT_TRUE(rank.leave());
      return;
    }
    int ended = 0, gave_up = 0;
    Wanted wanted{exchange, {{0, 3}, 1}, std::vector<std::byte>(8), true, ended, gave_up, false, Rank{1}};
    exchange.await(wanted.what, wanted.receiver());
    while (!exchange.has_failed()) look_twice(rank, exchange);
    EXPECT_TRUE(wanted.told);
    failure = exchange.failure();
    ASSERT_TRUE(rank.leave());
  });
  for (const std::string& each : outcome.failures) ADD_FAILURE() << "seed " << seed << ": " << each;
  return failure;
}

TEST(Exchanges, WhatARankAtAMeetingHasNotSentNeverComes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(failure_of_awaiting(Meeting::end, seed),
              "rank 1 has ended its Ranks, and rank 0 waits for tile a[3] of it: all ranks spawn the same tasks in the "
              "same order");
    EXPECT_EQ(
        failure_of_awaiting(Meeting::barrier, seed),
        "rank 1 waits in barrier(), or writes a checkpoint, and rank 0 waits for tile a[3] of it: all ranks spawn "
        "the same tasks in the same order");
  }
}

// Each rank sends the other a tile before each of three barriers, and asks all the time.
TEST(Exchanges, WhatIsSentBeforeAMeetingIsAwaitedInPeace) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto outcome =
        transport::loopback::run({.ranks = 2, .seed = seed, .ranks_per_host = 2}, [&](Transport& rank) {
          Exchange exchange(rank);
          const Rank self = rank.rank(), other{1 - static_cast<std::uint32_t>(self)};
          int ended = 0, gave_up = 0;
          for (std::uint32_t round = 1; round <= 3; ++round) {
            Wanted wanted{exchange,
                          {{0, static_cast<std::uint32_t>(other)}, round},
                          std::vector<std::byte>(8),
                          false,
                          ended,
                          gave_up,
                          false,
                          other};
            exchange.await(wanted.what, wanted.receiver());
            if (self == Rank{1} && round == 2) {
              for (int turn = 0; turn < 20; ++turn) look_twice(rank, exchange);
            }
            exchange.send_small({{0, static_cast<std::uint32_t>(self)}, round}, other, std::vector<std::byte>(8));
            while (ended != static_cast<int>(round)) {
              if (std::exchange(wanted.told, false)) wanted.take();
              look_twice(rank, exchange);
            }
            ASSERT_TRUE(exchange.barrier(Meeting::barrier, [&] {
              look_twice(rank, exchange);
              return true;
            })) << exchange.failure();
          }
          ASSERT_TRUE(rank.leave());
        });
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
  }
}

// Rank 7 fails; all others are told, whatever each sends it is little.
TEST(Exchanges, AFailureReachesAThousandRanksByFewMessagesOfEach) {
  constexpr std::uint32_t kRanks = 1000;
  std::vector<int> told(kRanks);
  const auto outcome =
      transport::loopback::run({.ranks = kRanks, .seed = 3, .ranks_per_host = 100}, [&](Transport& rank) {
        Exchange exchange(rank);
        ASSERT_TRUE(rank.barrier());
        if (rank.rank() == Rank{7}) exchange.announce_own_failure("no such luck");
        while (!exchange.has_failed()) {
          if (!rank.progress()) rank.wait_for_arrival(1000);
        }
        EXPECT_EQ(exchange.failure(), "rank 7 has failed: no such luck");
        ++told[static_cast<std::size_t>(rank.rank())];
        ASSERT_TRUE(rank.leave());
      });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(told, std::vector<int>(kRanks, 1));
}

}  // namespace
}  // namespace weir::cluster
