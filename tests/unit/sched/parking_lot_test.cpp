// SPDX-License-Identifier: Apache-2.0

#include "sched/parking_lot.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::sched {
namespace {

TEST(ParkingLot, NobodyNeedsToBeWokenWhileNobodySleeps) {
  ParkingLot lot;
  EXPECT_FALSE(lot.should_wake());
  EXPECT_FALSE(lot.someone_idle());
  lot.start_searching();
  EXPECT_TRUE(lot.someone_idle());
  EXPECT_FALSE(lot.should_wake());
  EXPECT_FALSE(lot.stop_searching()) << "nobody sleeps: nothing to pass on";
}

TEST(ParkingLot, ASleeperIsWokenWhenNobodySearches) {
  ParkingLot lot;
  Sleeper sleeper;
  lot.start_searching();
  lot.list(sleeper);
  EXPECT_TRUE(lot.should_wake());
  lot.wake_one(0);
  EXPECT_FALSE(lot.should_wake()) << "the one who was woken searches now";
  sleeper.parker.park();  // returns at once: its token is there
  lot.unlist(sleeper);
  EXPECT_FALSE(lot.stop_searching());
}

TEST(ParkingLot, TheSearcherThatLeavesPassesTheSearchOnWhileOthersSleep) {
  ParkingLot lot;
  Sleeper sleeper;
  lot.start_searching();
  lot.start_searching();
  lot.start_searching();
  lot.list(sleeper);
  EXPECT_FALSE(lot.should_wake()) << "others search";
  EXPECT_FALSE(lot.stop_searching()) << "another searches still";
  EXPECT_TRUE(lot.stop_searching());
  lot.unlist(sleeper);
  EXPECT_FALSE(lot.stop_searching());
}

TEST(ParkingLot, WakeOneLeavesItToASearcher) {
  ParkingLot lot;
  Sleeper sleeper;
  lot.start_searching();
  lot.list(sleeper);
  lot.start_searching();
  lot.wake_one(0);
  static_cast<void>(lot.stop_searching());
  EXPECT_TRUE(lot.should_wake()) << "the sleeper is still there";
  lot.unlist(sleeper);
}

TEST(ParkingLot, PrefersASleeperOfTheDomainAndTheLastToLieDown) {
  ParkingLot lot;
  Sleeper a, b, c;
  a.domain = 1;
  for (Sleeper* sleeper : {&a, &b, &c}) {
    lot.start_searching();
    lot.list(*sleeper);
  }
  lot.wake_one(1);
  EXPECT_FALSE(a.listed);
  static_cast<void>(lot.stop_searching());
  lot.wake_one(1);
  EXPECT_FALSE(c.listed) << "none there is left: any";
  EXPECT_TRUE(b.listed);
  lot.unlist(b);
}

TEST(ParkingLot, WakeInDomainWakesOnlyThereAndThoughOthersSearch) {
  ParkingLot lot;
  Sleeper near, far;
  far.domain = 1;
  for (Sleeper* sleeper : {&near, &far}) {
    lot.start_searching();
    lot.list(*sleeper);
  }
  lot.start_searching();
  lot.wake_in_domain(2);
  EXPECT_TRUE(near.listed && far.listed);
  lot.wake_in_domain(1);
  EXPECT_FALSE(far.listed);
  lot.unlist(near);
}

TEST(ParkingLot, ASleeperWokenForAnotherReasonLeavesTheList) {
  ParkingLot lot;
  Sleeper sleeper;
  lot.start_searching();
  lot.list(sleeper);
  sleeper.parker.unpark();
  sleeper.parker.park();
  lot.unlist(sleeper);
  EXPECT_FALSE(sleeper.listed);
  EXPECT_FALSE(lot.should_wake());
  EXPECT_TRUE(lot.someone_idle());
}

TEST(ParkingLot, ANapEndsByItself) {
  ParkingLot lot;
  Sleeper sleeper;
  lot.start_searching();
  lot.nap(sleeper, 1000);
  EXPECT_FALSE(sleeper.listed);
  EXPECT_FALSE(lot.stop_searching());
}

}  // namespace
}  // namespace weir::sched
