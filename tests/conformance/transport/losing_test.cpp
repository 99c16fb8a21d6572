// SPDX-License-Identifier: Apache-2.0

// A rank is killed at a random time, whatever the others do: they end, and name it. WEIR_LOSSES=N: N times instead of
// twice, and one in eight of them while the ranks start, of which the others are sure after ten seconds only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "conformance/transport/ranks.hpp"

namespace weir::transport::conformance {
namespace {

using testing::HasSubstr;

const char* const losses = std::getenv("WEIR_LOSSES");

class Losing : public testing::TestWithParam<const char*> {};

// Before all have started, those that wait for it say so as well, in other words.
void lose_one(const char* body, std::mt19937& random) {
  const auto count = static_cast<std::uint32_t>(2 + random() % 3);
  const auto victim = static_cast<std::uint32_t>(random() % count);
  Ranks ranks(count, {body});
  if (losses == nullptr || random() % 8 != 0) ranks.await_start(victim);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
  const std::string named = "lost " + std::to_string(victim) + ": process " + std::to_string(ranks.pid(victim));
  ranks.kill(victim);
  const auto ends = ranks.wait();
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_TRUE(ends[i].in_time) << "rank " << i << " of " << count << " hangs when rank " << victim << " is killed";
    if (i == victim) continue;
    if (ends[i].end.status == 3) {
      const std::string pid = std::to_string(ranks.pid(victim));
      EXPECT_THAT(ends[i].error, testing::ContainsRegex("rank " + std::to_string(victim) + "[ ;,]|process " + pid))
          << "while starting";
    } else {
      EXPECT_THAT(ends[i].out, HasSubstr(named)) << "rank " << i << " of " << count << ": " << ends[i].error;
    }
  }
}

TEST_P(Losing, AKilledRankIsNamedByAllOthers) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < (losses != nullptr ? std::atoi(losses) : 2) && !HasFailure(); ++i) lose_one(GetParam(), random);
}
INSTANTIATE_TEST_SUITE_P(SharedTransport, Losing,
                         testing::Values("lost_in_a_barrier", "lost_in_an_exchange", "lost_while_making_regions",
                                         "lost_while_sending", "lost_while_nothing_arrives", "lost_in_a_put"),
                         [](const auto& body) { return std::string(body.param); });

}  // namespace
}  // namespace weir::transport::conformance
