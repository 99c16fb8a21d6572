// SPDX-License-Identifier: Apache-2.0

// The shared backend as real processes: all that every backend must do, how ranks find one another, and who ends whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/transport/ranks.hpp"

namespace weir::transport::conformance {
namespace {

using testing::HasSubstr;

class SharedTransport : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SharedTransport, DoesWhatEveryBackendMustDo) {
  Ranks ranks(GetParam(), {"all"});
  for (const auto& rank : ranks.wait()) {
    EXPECT_TRUE(rank.in_time);
    EXPECT_EQ(rank.end.status, 0) << rank.error;
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, SharedTransport, testing::Values(1, 2, 4, 8), testing::PrintToStringParamName());

TEST(SharedTransport, EndsAllWithTheStatusOfTheRankThatAborts) {
  Ranks ranks(4, {"one_aborts"});
  const auto ends = ranks.wait();
  for (const std::size_t waiting : {0, 2, 3}) {
    EXPECT_EQ(ends[waiting].end.status, 7) << "rank " << waiting << ": " << ends[waiting].error;
    EXPECT_THAT(ends[waiting].out, HasSubstr("was here")) << "what it printed is not lost";
  }
  EXPECT_EQ(ends[1].end.signal, SIGKILL) << "a rank that computes is killed";
}

class Mistake : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Mistake, EndsTheProcessAndIsNamed) {
  const auto [body, words] = GetParam();
  Ranks ranks(2, {body});
  for (const auto& rank : ranks.wait()) {
    EXPECT_EQ(rank.end.signal, SIGABRT);
    EXPECT_THAT(rank.error, HasSubstr(words));
  }
}
INSTANTIATE_TEST_SUITE_P(SharedTransport, Mistake,
                         testing::Values(std::pair{"a_put_beyond_the_end", "beyond the end of its region"},
                                         std::pair{"an_atomic_that_is_not_aligned", "not at a multiple of its size"},
                                         std::pair{"a_message_that_is_too_long", "longer than Transport::kMaxMessage"},
                                         std::pair{"a_message_without_a_handler",
                                                   "a handler that this rank has not set"}),
                         [](const auto& mistake) { return std::string(mistake.param.first); });

TEST(SharedTransport, RefusesRanksThatContradictOneAnother) {
  const std::string job = "contradicts-" + std::to_string(getpid());
  Ranks ranks({{0, 2, job}, {2, 3, job}});
  for (const auto& rank : ranks.wait()) {
    EXPECT_EQ(rank.end.status, 3);
    EXPECT_THAT(rank.error, HasSubstr("rank 2 of 3 has come to a job of 2 ranks")) << rank.error;
  }
}

TEST(SharedTransport, RefusesTwoProcessesThatClaimToBeTheSameRank) {
  const std::string job = "twice-" + std::to_string(getpid());
  Ranks ranks({{0, 3, job}, {1, 3, job}, {1, 3, job}});
  for (const auto& rank : ranks.wait()) {
    EXPECT_EQ(rank.end.status, 3);
    EXPECT_THAT(rank.error, HasSubstr("two processes claim to be rank 1 of 3")) << rank.error;
  }
}

}  // namespace
}  // namespace weir::transport::conformance
