// SPDX-License-Identifier: Apache-2.0

#include "launch/ending.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <vector>

namespace weir::launch {
namespace {

RankEnd running() { return {}; }
RankEnd ended(int status, std::uint32_t order = 0) { return {.has_ended = true, .order = order, .end = {0, status}}; }
RankEnd killed(int signal, std::uint32_t order = 0) {
  return {.has_ended = true, .order = order, .end = {signal, 128 + signal}};
}
RankEnd losing(std::uint32_t other, std::uint32_t order = 0) {
  RankEnd end = ended(1, order);
  end.lost = other;
  return end;
}

std::optional<std::uint32_t> first(const std::vector<RankEnd>& ranks, bool may_still_come = true) {
  return first_failure(ranks, may_still_come);
}

TEST(FirstFailure, IsNoneWhileRanksRunOrHaveEndedWell) {
  EXPECT_EQ(first({running(), ended(0)}), std::nullopt);
  EXPECT_EQ(first({ended(0), ended(0)}, false), std::nullopt);
}

TEST(FirstFailure, IsTheRankThatEndedFirst) {
  EXPECT_EQ(first({ended(3, 2), killed(SIGSEGV, 1), running()}), 1U);
  EXPECT_EQ(first({ended(3, 1), killed(SIGSEGV, 2), ended(0, 0)}), 0U);
}

TEST(FirstFailure, IsTheOneByASignalOfThoseSeenAtOnce) {
  EXPECT_EQ(first({ended(1, 4), killed(SIGKILL, 4), ended(1, 4)}), 1U);
  EXPECT_EQ(first({ended(1, 3), killed(SIGKILL, 4)}), 0U);
  EXPECT_EQ(first({ended(1, 4), ended(1, 4)}), 0U);
}

TEST(FirstFailure, IsNotTheRankThatEndedBecauseOfAnother) {
  EXPECT_EQ(first({losing(2, 0), losing(2, 1), killed(SIGKILL, 2)}), 2U);
}

TEST(FirstFailure, AwaitsTheRankThatAnotherNames) {
  EXPECT_EQ(first({losing(1, 0), running()}), std::nullopt);
  EXPECT_EQ(first({losing(1, 0), running()}, false), 0U) << "it does not come";
}

TEST(FirstFailure, IsARankThatHasNotLeftWhateverItsStatus) {
  RankEnd joined = ended(0);
  joined.has_joined = true;
  EXPECT_EQ(first({running(), joined}), 1U);
  EXPECT_EQ(status_of(joined), 1);
  joined.has_left = true;
  EXPECT_EQ(first({running(), joined}), std::nullopt);
}

TEST(FirstFailure, IsNotARankThatHasLeftWhileOthersRunThatHaveLeft) {
  RankEnd left = ended(3);
  left.has_joined = left.has_left = left.others_have_left = true;
  EXPECT_EQ(first({running(), left}, false), std::nullopt);
  left.is_sought = true;
  EXPECT_EQ(first({running(), left}), 1U) << "they have come back";
  left.is_sought = left.others_have_left = false;
  EXPECT_EQ(first({running(), left}), std::nullopt) << "they are about to leave";
  EXPECT_EQ(first({running(), left}, false), 1U) << "they do not, or none runs";
}

TEST(FirstFailure, IsARankThatHasEndedWellAndIsSought) {
  RankEnd sought = ended(0);
  sought.is_sought = true;
  EXPECT_EQ(first({running(), sought}), 1U);
  EXPECT_EQ(status_of(sought), 1);
  EXPECT_EQ(describe({3, 4711, "node7"}, sought, "", 0),
            "rank 3 (process 4711 on node7) has ended with status 0, but others wait for it to start with them");
}

TEST(Description, NamesRankProcessHostAndHowItEnded) {
  const Named who{3, 4711, "node7"};
  EXPECT_EQ(describe(who, killed(SIGSEGV), "", 0),
            "rank 3 (process 4711 on node7) was ended by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(
      describe(who, ended(3), "no \x1b[31mroom", 1),
      "rank 3 (process 4711 on node7) has ended with status 3; its last words: no \\x1b[31mroom; 1 other is ended "
      "with it");
  EXPECT_EQ(
      describe(who, losing(1), "", 2),
      "rank 3 (process 4711 on node7) has ended with status 1, as it had lost rank 1; 2 others are ended with it");
  RankEnd joined = ended(0);
  joined.has_joined = true;
  EXPECT_EQ(describe(who, joined, "", 0),
            "rank 3 (process 4711 on node7) has ended with status 0, but had not left the job");
  EXPECT_EQ(status_of(killed(SIGKILL)), 137);
}

}  // namespace
}  // namespace weir::launch
