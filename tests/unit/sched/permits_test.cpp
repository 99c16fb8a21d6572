// SPDX-License-Identifier: Apache-2.0

#include "sched/permits.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weir::sched {
namespace {

struct Thread {
  platform::Parker parker;
  PermitHolder permit{parker};

  void give_up() { permit.state.exchange(PermitHolder::kGivenUp); }
};

TEST(Permits, AThreadHasOneFromTheStart) {
  Thread thread;
  EXPECT_TRUE(thread.permit.has());
  EXPECT_FALSE(thread.permit.notify()) << "nobody has to ask for it";
  EXPECT_TRUE(thread.permit.has());
}

TEST(Permits, OneCallerAsksForAThreadThatHasGivenItsOwnUp) {
  Thread thread;
  thread.give_up();
  EXPECT_FALSE(thread.permit.has());
  EXPECT_TRUE(thread.permit.notify());
  EXPECT_FALSE(thread.permit.notify());
}

TEST(Permits, WithoutAReceiverSomebodyElseHasToBeFound) {
  Permits permits;
  EXPECT_EQ(permits.take_receiver(true), nullptr);
  EXPECT_EQ(permits.take_spare(), nullptr);
}

TEST(Permits, ThoseThatWantToGoOnComeBeforeSparesInTheirOrder) {
  Permits permits;
  Thread busy, first, second;
  for (Thread* thread : {&first, &second}) {
    thread->give_up();
    EXPECT_FALSE(permits.ask(thread->permit));
  }
  EXPECT_TRUE(permits.wanted());
  EXPECT_EQ(permits.relieve(busy.permit), &first.permit);
  EXPECT_FALSE(busy.permit.has()) << "it is a spare now";
  EXPECT_EQ(permits.take_receiver(false), &second.permit);
  EXPECT_FALSE(permits.wanted());
  EXPECT_EQ(permits.take_receiver(false), &busy.permit);
  EXPECT_EQ(permits.take_receiver(false), nullptr);
}

TEST(Permits, TasksHaveTheirTurnWhereThreadsGoOnAndWaitAgain) {
  Permits permits;
  std::array<Thread, 2> threads;
  Thread spare, waits;
  waits.give_up();
  EXPECT_FALSE(permits.ask(waits.permit));
  EXPECT_EQ(permits.relieve(spare.permit), &waits.permit);
  int turns = 0;
  for (Thread& thread : threads) thread.give_up();
  for (;; ++turns) {
    ASSERT_LT(turns, 100);
    PermitHolder& goes_on = threads[static_cast<std::size_t>(turns) % 2].permit;
    EXPECT_FALSE(permits.ask(goes_on));
    PermitHolder* const receiver = permits.take_receiver(true);
    if (receiver == &spare.permit) break;
    EXPECT_EQ(receiver, &goes_on);
  }
  EXPECT_GT(turns, 0);
  EXPECT_TRUE(permits.wanted()) << "and comes when they have been run";
}

TEST(Permits, NobodyIsRelievedForNobody) {
  Permits permits;
  Thread busy;
  EXPECT_EQ(permits.relieve(busy.permit), nullptr);
  EXPECT_TRUE(busy.permit.has());
}

TEST(Permits, ASpareThatWasChosenCannotLeave) {
  Permits permits;
  Thread waits, spare, other;
  for (Thread* thread : {&spare, &other}) {
    waits.give_up();
    EXPECT_FALSE(permits.ask(waits.permit));
    EXPECT_EQ(permits.relieve(thread->permit), &waits.permit);
  }
  EXPECT_EQ(permits.take_receiver(false), &other.permit) << "the last to come";
  EXPECT_FALSE(permits.leave_spares(other.permit));
  EXPECT_TRUE(permits.leave_spares(spare.permit));
  EXPECT_EQ(permits.take_receiver(false), nullptr);
}

TEST(Permits, OfThreadsThatLeaveTheyAreNotLost) {
  Permits permits;
  Thread gone, waits;
  permits.leave(gone.permit);
  permits.leave(gone.permit);  // once
  waits.give_up();
  EXPECT_TRUE(permits.ask(waits.permit));
  EXPECT_TRUE(waits.permit.has());
  waits.give_up();
  EXPECT_FALSE(permits.ask(waits.permit));
  Thread leaves;
  permits.leave(leaves.permit);
  EXPECT_TRUE(waits.permit.has());
}

}  // namespace
}  // namespace weir::sched
