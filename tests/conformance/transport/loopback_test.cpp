// SPDX-License-Identifier: Apache-2.0

// The loopback backend: all that every backend must do, in orders that follow from seeds; what it shows of programs
// that are wrong; and that a seed repeats a run. WEIR_LOOPBACK_SEEDS=N: so many seeds instead of a few.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>

#include "conformance/transport/bodies.hpp"
#include "transport/loopback/world.hpp"

namespace weir::transport::conformance {
namespace {

using loopback::Outcome;
using loopback::Settings;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// What this backend cannot do: several threads of one rank, and a rank that computes until others have reached it. One
// has so many operations under way that to choose among them takes seconds.
bool is_for_loopback(const Body& body) {
  constexpr const char* kOthers[] = {"threads_send_and_make_progress", "threads_have_channels_of_their_own",
                                     "a_rank_that_computes_is_reached",
                                     "many_small_nbi_operations_are_done_after_quiet"};
  return std::find(std::begin(kOthers), std::end(kOthers), std::string(body.name)) == std::end(kOthers);
}

Outcome run_body(const Settings& settings, const Body& body) {
  return loopback::run(settings, [&](Transport& t) {
    body.run(t);
    if (!t.lost()) require(t.leave());
  });
}

std::string named(const Settings& settings, const Body& body) {
  return std::string(body.name) + ", " + std::to_string(settings.ranks) + " ranks, " +
         std::to_string(settings.ranks_per_host) + " per host, seed " + std::to_string(settings.seed);
}

TEST(Loopback, DoesWhatEveryBackendMustDo) {
  const unsigned seed = std::random_device{}();
  for_each_body([&](const Body& body) {
    if (!is_for_loopback(body)) return;
    for (const std::uint32_t ranks : {1, 2, 5}) {
      const Settings settings{.ranks = ranks, .seed = seed, .ranks_per_host = 1 + seed % 2};
      EXPECT_THAT(run_body(settings, body).failures, IsEmpty()) << named(settings, body);
    }
  });
}

// The seeds of a test: from a random one on, or all from 1 on to as many as WEIR_LOOPBACK_SEEDS says.
struct SeedRange {
  explicit SeedRange(std::uint64_t few) {
    const char* const text = std::getenv("WEIR_LOOPBACK_SEEDS");
    first = text != nullptr ? 1 : std::random_device{}();
    end = first + (text != nullptr ? std::strtoull(text, nullptr, 10) : few);
  }
  std::uint64_t first, end;
};

// Those that copy megabytes are left out: it is the order that counts.
TEST(Loopback, HoldsInManyOrders) {
  std::vector<const Body*> bodies;
  for_each_body([&](const Body& body) {
    const std::string name = body.name;
    const bool is_large = name == "puts_and_gets_of_all_sizes_are_whole" ||
                          name == "the_source_of_a_put_may_be_used_again_at_once" ||
                          name == "a_large_put_comes_before_what_follows_a_fence" ||
                          name == "a_region_is_zeros_of_the_largest_size" || name == "all_gather_takes_any_length";
    if (is_for_loopback(body) && !is_large) bodies.push_back(&body);
  });
  const SeedRange seeds(60);
  for (std::uint64_t seed = seeds.first; seed < seeds.end && !HasFailure(); ++seed) {
    const Body& body = *bodies[seed % bodies.size()];
    const Settings settings{.ranks = static_cast<std::uint32_t>(1 + seed / 7 % 6),
                            .seed = seed,
                            .ranks_per_host = static_cast<std::uint32_t>(1 + seed / 5 % 3),
                            .most_on_way = 1 + seed / 3 % 20};
    EXPECT_THAT(run_body(settings, body).failures, IsEmpty()) << named(settings, body);
  }
}

TEST(Loopback, RandomOperationsAreSeenAsAModelSays) {
  const SeedRange seeds(300);
  for (std::uint64_t seed = seeds.first; seed < seeds.end && !HasFailure(); ++seed) {
    const Settings settings{.ranks = static_cast<std::uint32_t>(1 + seed % 6),
                            .seed = seed,
                            .ranks_per_host = static_cast<std::uint32_t>(1 + seed / 6 % 3)};
    const Outcome outcome = loopback::run(settings, [seed](Transport& t) {
      random_operations(t, seed);
      require(t.leave());
    });
    EXPECT_THAT(outcome.failures, IsEmpty())
        << settings.ranks << " ranks, " << settings.ranks_per_host << " per host, seed " << seed;
  }
}

TEST(Loopback, ASeedRepeatsARun) {
  const Body& body = *find_body("handlers_answer_a_flood");
  const Outcome once = run_body({.ranks = 4, .seed = 11}, body), again = run_body({.ranks = 4, .seed = 11}, body);
  EXPECT_EQ(once.digest, again.digest);
  EXPECT_EQ(once.turns, again.turns);
  EXPECT_NE(run_body({.ranks = 4, .seed = 12}, body).digest, once.digest);
}

TEST(Loopback, HasAThousandRanks) {
  const Outcome outcome = loopback::run({.ranks = 1000, .seed = 3}, [](Transport& t) {
    std::uint64_t sum = 0;
    t.set_handler(
        0,
        [](void* context, Rank from, std::span<const std::byte>) {
          *static_cast<std::uint64_t*>(context) += 1 + static_cast<std::uint32_t>(from);
        },
        &sum);
    const Region region = required(t.make_region({.size = {64}}));
    const auto channel = t.open_channel();
    require(channel->atomic({Rank{0}, region.id, 0}, AtomicOp::add, AtomicWidth::bits64, 1).status());
    require(channel->quiet());
    require(t.send(next(t), 0, {}));
    while (sum == 0) static_cast<void>(t.progress());
    require(sum == 1 + static_cast<std::uint32_t>(previous(t)), "the message of the rank before");
    require(t.barrier());
    if (me(t) == 0) require(*reinterpret_cast<const std::uint64_t*>(region.data) == 1000, "each rank adds one");
    require(t.leave());
  });
  EXPECT_THAT(outcome.failures, IsEmpty());
}

TEST(Loopback, ARankThatIsLostOnRequestIsNamedByAllOthers) {
  for (const char* body : {"lost_in_a_barrier", "lost_in_an_exchange", "lost_while_making_regions",
                           "lost_while_sending", "lost_while_nothing_arrives", "lost_in_a_put"}) {
    const Settings settings{.ranks = 5, .seed = 4, .loss = Settings::Loss{Rank{3}, 2000}};
    const Outcome outcome = loopback::run(settings, [&](Transport& t) {
      find_body(body)->run(t);
      require(t.lost()->rank == Rank{3}, "the rank that was lost on request");
    });
    EXPECT_THAT(outcome.failures, IsEmpty()) << body;
  }
}

TEST(Loopback, ARankThatEndsWithoutLeavingIsLost) {
  const Outcome outcome = loopback::run({.ranks = 3}, [](Transport& t) {
    if (me(t) == 1) return;
    const base::Status status = t.barrier();
    require(status.code == base::Code::lost, "rank 1 never comes");
    require(t.lost()->rank == Rank{1}, "rank 1 is lost");
  });
  EXPECT_THAT(outcome.failures, IsEmpty());
}

TEST(Loopback, AnAbortEndsAll) {
  const Outcome outcome = loopback::run({.ranks = 4}, [](Transport& t) {
    if (me(t) == 2) t.abort(9);
    require(t.barrier());
    throw std::runtime_error("nobody passes this barrier");
  });
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_EQ(outcome.aborted, 9);
}

TEST(Loopback, ToWaitForWhatNeverComesIsAFailure) {
  const Outcome outcome = loopback::run({.ranks = 2, .most_turns = 1000}, [](Transport& t) {
    while (true) static_cast<void>(t.progress());
  });
  EXPECT_THAT(outcome.failures, Contains(HasSubstr("no end after 1000 turns")));
}

// How many of 40 seeds show that a program is wrong.
int seeds_that_show(void (*wrong)(Transport&)) {
  int shown = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    if (!loopback::run({.ranks = 2, .seed = seed, .most_turns = 10'000}, wrong).failures.empty()) ++shown;
  }
  return shown;
}

TEST(Loopback, ShowsThatAQuietIsMissing) {
  EXPECT_GT(seeds_that_show([](Transport& t) {
              const Region region = required(t.make_region({.size = {64}}));
              const auto channel = t.open_channel();
              const std::uint64_t value = 5;
              require(channel->put({next(t), region.id, 0}, &value, 8));
              require(t.barrier());
              require(*reinterpret_cast<const std::uint64_t*>(region.data) == 5, "the put has arrived");
              require(t.leave());
            }),
            0);
}

TEST(Loopback, ShowsThatAFenceIsMissing) {
  EXPECT_GT(seeds_that_show([](Transport& t) {
              const Region region = required(t.make_region({.size = {64}}));
              const auto channel = t.open_channel();
              const auto* const words = reinterpret_cast<const std::uint64_t*>(region.data);
              const std::uint64_t value = 5;
              require(channel->put({next(t), region.id, 0}, &value, 8));
              require(channel->put({next(t), region.id, 8}, &value, 8));
              while (words[1] == 0) static_cast<void>(t.progress());
              require(words[0] == 5, "data before its flag");
              require(channel->quiet());
              require(t.leave());
            }),
            0);
}

TEST(Loopback, ShowsThatTheSourceOfAPutNbiIsUsedAgainTooSoon) {
  EXPECT_GT(seeds_that_show([](Transport& t) {
              const Region region = required(t.make_region({.size = {64}}));
              const auto channel = t.open_channel();
              std::uint64_t value = 5;
              require(channel->put_nbi({next(t), region.id, 0}, &value, 8));
              value = 6;
              require(channel->quiet());
              require(t.barrier());
              require(*reinterpret_cast<const std::uint64_t*>(region.data) == 5, "what it was when it was put");
              require(t.leave());
            }),
            0);
}

}  // namespace
}  // namespace weir::transport::conformance
