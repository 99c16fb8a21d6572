// SPDX-License-Identifier: Apache-2.0

#include "explain/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/render.hpp"

namespace weir::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Situation tasks(std::size_t count) {
  Situation s;
  s.title = "test";
  for (std::size_t i = 0; i < count; ++i) {
    s.things.emplace_back();
    s.things.back().id = i + 1;
    s.things.back().name = std::string(1, static_cast<char>('a' + i % 26));
  }
  return s;
}

void wait(Situation& s, Index who, Index on, Cause cause = Cause::edge) {
  s.waits.push_back({who, cause, on, false, {}});
}

TEST(Findings, CountTasksByWhatTheyDo) {
  Situation s = tasks(4);
  s.things[0].state = State::running;
  s.things[1].state = State::ready;
  s.things[3].kind = Kind::thread;
  wait(s, 2, 0);
  wait(s, 2, 1);
  wait(s, 2, 1, Cause::lock);
  wait(s, 0, 1, Cause::children);  // it runs
  wait(s, 3, 1, Cause::task);      // it is none
  const Findings f = find(s);
  EXPECT_EQ(f.running, 1u);
  EXPECT_EQ(f.ready, 1u);
  EXPECT_EQ(f.waiting, 1u);
  EXPECT_EQ(f.by_cause[static_cast<std::size_t>(Cause::edge)], 1u) << "a task with two waits of a cause counts once";
  EXPECT_EQ(f.by_cause[static_cast<std::size_t>(Cause::lock)], 1u);
  EXPECT_EQ(f.by_cause[static_cast<std::size_t>(Cause::children)], 0u) << "only what is counted as waiting";
  EXPECT_EQ(f.by_cause[static_cast<std::size_t>(Cause::task)], 0u);
}

TEST(Findings, NameTheRootWithAllThatWaitBehindIt) {
  Situation s = tasks(6);
  s.things[5].state = State::running;
  for (Index i = 0; i < 5; ++i) wait(s, i, i + 1);
  const Findings f = find(s);
  ASSERT_EQ(f.roots.size(), 1u);
  EXPECT_EQ(f.roots[0].thing, 5u);
  EXPECT_EQ(f.roots[0].waiters, 5u);
  EXPECT_TRUE(f.cycle.empty());
}

TEST(Findings, SayHowManyRootsAreLeftOut) {
  Situation s = tasks(24);
  for (Thing& thing : s.things) thing.state = State::running;
  const Findings f = find(s);
  EXPECT_EQ(f.roots.size(), 10u);
  EXPECT_EQ(f.roots_left_out, 14u);
  EXPECT_THAT(to_text(s, 20), HasSubstr("\n    and 14 more\n"));
  EXPECT_THAT(to_json(s, 20), HasSubstr(R"("roots_left_out":14)"));
  EXPECT_THAT(to_text(tasks(1), 20), Not(HasSubstr("more")));
}

TEST(Findings, PutTheRootWithMostWaitersFirst) {
  Situation s = tasks(26);
  wait(s, 2, 0);
  for (Index i = 3; i < 26; ++i) wait(s, i, 1);
  const Findings f = find(s);
  ASSERT_EQ(f.roots.size(), 2u);
  EXPECT_EQ(f.roots[0].thing, 1u);
  EXPECT_EQ(f.roots[0].waiters, 23u);
  EXPECT_EQ(f.roots[1].thing, 0u);
}

TEST(Findings, FindACycleAndItsShortestForm) {
  Situation s = tasks(7);
  // A long way round, 1 2 3 4 5 1, with a short cut 3 1; 0 only leads there.
  wait(s, 0, 1);
  for (Index i = 1; i < 5; ++i) wait(s, i, i + 1);
  wait(s, 5, 1);
  wait(s, 3, 1);
  const Findings f = find(s);
  ASSERT_EQ(f.cycle.size(), 3u);
  for (std::size_t i = 0; i < f.cycle.size(); ++i)
    EXPECT_EQ(s.waits[f.cycle[i]].on, s.waits[f.cycle[(i + 1) % f.cycle.size()]].who);
}

TEST(Findings, FindWhoWaitsForItself) {
  Situation s = tasks(2);
  wait(s, 1, 1, Cause::task);
  EXPECT_THAT(find(s).cycle, ElementsAre(0u));
}

TEST(Findings, TakeWhatNobodyWillEverDoForARoot) {
  Situation s = tasks(3);
  wait(s, 0, 1);
  wait(s, 1, 2);
  s.things[2].state = State::running;
  s.waits.push_back({1, Cause::nothing, kNobody, false, "a slot that was never linked"});
  const Findings f = find(s);
  ASSERT_EQ(f.roots.size(), 2u);
  EXPECT_EQ(f.roots[0].thing, 2u);
  EXPECT_EQ(f.roots[1].thing, 1u);
  EXPECT_THAT(to_text(s), HasSubstr("a slot that was never linked; 1 waits for it"));
}

// The rank says itself what it waits for: here is no more to find.
TEST(Findings, TakeWhatAnotherRankDoesForARoot) {
  Situation s = tasks(3);
  wait(s, 0, 1);
  wait(s, 1, 2);
  s.things[2].state = State::running;
  s.waits.push_back({1, Cause::rank, kNobody, false, "EDT 0x1 of rank 1 to end"});
  const Findings f = find(s);
  ASSERT_EQ(f.roots.size(), 2u);
  EXPECT_EQ(f.roots[1].thing, 1u);
  EXPECT_EQ(f.by_cause[static_cast<std::size_t>(Cause::rank)], 1u);
  EXPECT_THAT(to_text(s), HasSubstr("1 for what another rank does"));
  EXPECT_THAT(to_text(s), HasSubstr("EDT 0x1 of rank 1 to end; 1 waits for it"));
  EXPECT_THAT(to_json(s), HasSubstr(R"("cause":"rank")"));
}

TEST(Findings, CopeWithLongChains) {
  constexpr Index kCount = 300'000;
  Situation s = tasks(kCount);
  for (Index i = 1; i < kCount; ++i) wait(s, i, i - 1);
  s.things[0].state = State::running;
  const Findings f = find(s);
  ASSERT_EQ(f.roots.size(), 1u);
  EXPECT_EQ(f.roots[0].waiters, kCount - 1);
  const std::string text = to_text(s);
  EXPECT_THAT(text, HasSubstr("300000 tasks left: 1 running, 0 ready, 299999 waiting"));
  EXPECT_THAT(text, HasSubstr("... and 299980 more"));
  EXPECT_LT(text.size(), 10'000u);
}

TEST(Findings, ATextOfNothing) {
  EXPECT_EQ(to_text(tasks(0)), "weir: explain: test: no task is left\n");
  EXPECT_THAT(to_json(tasks(0)), HasSubstr("\"left\":0"));
}

TEST(Findings, KeepNamesOnTheirLineAndFromTheTerminal) {
  Situation s = tasks(3);
  s.things[0].name = "a\n  at the root:";
  s.things[1].name = "\x1b[31mred";
  s.things[2].state = State::running;
  s.things[2].name = "c\r";
  s.notes.push_back("of 'b\n'");
  wait(s, 0, 1);
  wait(s, 1, 2);
  wait(s, 1, 0);
  const std::string text = to_text(s, 10);
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("task 'a\\n  at the root:' (1)"));
  EXPECT_THAT(text, HasSubstr("\\x1b[31mred"));
  EXPECT_THAT(text, HasSubstr("\n  of 'b\\n'\n"));
}

TEST(Findings, QuoteWhatJsonCannotHold) {
  Situation s = tasks(1);
  s.things[0].name = "a\"b\\c\n";
  EXPECT_THAT(to_json(s), HasSubstr(R"("name":"a\"b\\c\u000a")"));
  s.things[0].name = "gr\xf6\xc3\x9f";
  EXPECT_THAT(to_json(s), HasSubstr("\"name\":\"gr\xef\xbf\xbd\xc3\x9f\""));
}

}  // namespace
}  // namespace weir::explain
