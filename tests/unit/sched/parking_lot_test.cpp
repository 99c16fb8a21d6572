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

TEST(ParkingLot, OneThatLiesDownLastMayAskToBeWokenLast) {
  ParkingLot lot;
  Sleeper first, last;
  lot.start_searching();
  lot.start_searching();
  lot.list(first);
  lot.list(last, true);
  lot.wake_one(0);
  EXPECT_TRUE(first.parker.is_woken());
  EXPECT_FALSE(last.parker.is_woken());
  lot.unlist(first);
  lot.unlist(last);
}

TEST(ParkingLot, OneThatIsCalledToLookIsToldSoOnce) {
  ParkingLot lot;
  Sleeper here, there;
  there.domain = 1;
  for (Sleeper* sleeper : {&here, &there}) {
    lot.start_searching();
    lot.list(*sleeper);
  }
  EXPECT_FALSE(lot.call_lookout(2));
  EXPECT_TRUE(lot.call_lookout(1));
  EXPECT_FALSE(lot.call_lookout(1)) << "it does not sleep any more";
  there.parker.park();  // returns at once: its token is there
  EXPECT_TRUE(lot.unlist(there));
  EXPECT_FALSE(lot.unlist(here)) << "woken otherwise";
  lot.list(there);
  EXPECT_FALSE(lot.unlist(there));
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
  lot.park_timed(sleeper, 1000);
  EXPECT_FALSE(sleeper.listed);
  EXPECT_FALSE(lot.stop_searching());
}

// ---- More workers than processors ----

// Four workers on two processors, of which so many sleep; nobody searches.
class Crowd {
 public:
  explicit Crowd(int asleep) : lot(4, 2) {
    for (int i = 0; i < asleep; ++i) {
      lot.start_searching();
      lot.list(sleepers_[i]);
    }
  }
  ~Crowd() {
    for (Sleeper& sleeper : sleepers_) lot.unlist(sleeper);
  }
  bool still_asleep(int i) const { return sleepers_[i].listed; }

  ParkingLot lot;

 private:
  Sleeper sleepers_[4];
};

// Calls f() while another worker of the lot watches, which it does until f() has returned.
template <class F>
void while_watched(ParkingLot& lot, F&& f) {
  Sleeper watcher;
  bool watched = false;
  lot.start_searching();
  std::thread other([&] { watched = lot.watch(watcher, 3600 * std::uint64_t{1000000000}); });
  while (!lot.is_watched()) std::this_thread::yield();
  f();
  watcher.parker.unpark();
  other.join();
  EXPECT_TRUE(watched);
  EXPECT_FALSE(lot.is_watched());
  EXPECT_FALSE(watcher.listed);
  static_cast<void>(lot.stop_searching());
}

TEST(ParkingLot, IsCrowdedWhileMoreAreAwakeThanThereAreProcessors) {
  EXPECT_TRUE(Crowd(0).lot.is_crowded());
  EXPECT_TRUE(Crowd(1).lot.is_crowded());
  EXPECT_FALSE(Crowd(2).lot.is_crowded());
  EXPECT_FALSE(ParkingLot(2, 2).is_crowded());
  EXPECT_FALSE(ParkingLot(2, 4).is_crowded());
}

TEST(ParkingLot, ThoseThatAreBlockedLeaveTheirProcessorsToOthers) {
  Crowd crowd(1);
  crowd.lot.set_blocked(1, 7);
  EXPECT_EQ(crowd.lot.blocked_set_at(), 7u);
  EXPECT_FALSE(crowd.lot.is_crowded());
  EXPECT_TRUE(crowd.lot.may_be_crowded()) << "they may be back";
  Sleeper sleeper;
  EXPECT_FALSE(crowd.lot.list_if_crowded(sleeper));
  crowd.lot.set_blocked(0, 8);
  EXPECT_TRUE(crowd.lot.is_crowded());
  while_watched(crowd.lot, [&] { crowd.lot.set_blocked(1, 9); });
  EXPECT_TRUE(crowd.lot.is_crowded()) << "nothing changes while one watches";
  crowd.lot.set_blocked(100, 10);
  EXPECT_FALSE(crowd.lot.is_crowded());
}

TEST(ParkingLot, WhoStepsOutLeavesItsProcessorToASleeper) {
  Crowd crowd(1);
  while_watched(crowd.lot, [&] {
    EXPECT_FALSE(crowd.lot.should_wake());
    crowd.lot.step_out();
    EXPECT_TRUE(crowd.lot.should_wake());
    crowd.lot.step_in();
    EXPECT_FALSE(crowd.lot.should_wake());
  });
  ParkingLot enough(2, 2);
  enough.step_out();
  EXPECT_FALSE(enough.should_wake()) << "nobody sleeps";
}

TEST(ParkingLot, OfTwoThatAreOneTooManyOneStaysAwake) {
  Crowd crowd(1);
  Sleeper first, second;
  crowd.lot.start_searching();
  crowd.lot.start_searching();
  EXPECT_TRUE(crowd.lot.list_if_crowded(first));
  EXPECT_FALSE(crowd.lot.list_if_crowded(second));
  EXPECT_TRUE(first.listed);
  EXPECT_FALSE(second.listed);
  crowd.lot.unlist(first);
}

TEST(ParkingLot, NobodyIsWokenForATaskWhileAsManyAreAwakeAsThereAreProcessors) {
  Crowd crowd(1);
  EXPECT_TRUE(crowd.lot.should_wake()) << "nobody watches";
  while_watched(crowd.lot, [&] {
    EXPECT_FALSE(crowd.lot.is_crowded());
    EXPECT_FALSE(crowd.lot.should_wake());
    EXPECT_FALSE(crowd.lot.someone_idle());
    EXPECT_TRUE(crowd.lot.someone_sleeps());
    crowd.lot.wake_one(0);
    EXPECT_TRUE(crowd.still_asleep(0));
    crowd.lot.start_searching();
    EXPECT_FALSE(crowd.lot.stop_searching()) << "nobody is to be woken for what is left";
    crowd.lot.wake_in_domain(0);
    EXPECT_FALSE(crowd.still_asleep(0)) << "what only its domain runs wakes a worker of it in any case";
    EXPECT_TRUE(crowd.lot.is_crowded()) << "three are awake";
    static_cast<void>(crowd.lot.stop_searching());
  });
  EXPECT_TRUE(crowd.lot.is_crowded()) << "all four are awake";
}

TEST(ParkingLot, ASleeperIsWokenWhileFewerAreAwakeThanThereAreProcessors) {
  Crowd crowd(1);
  while_watched(crowd.lot, [&] {
    Sleeper second;
    crowd.lot.start_searching();
    crowd.lot.list(second);
    EXPECT_TRUE(crowd.lot.should_wake());
    crowd.lot.wake_one(0);
    EXPECT_FALSE(second.listed) << "and not the one that watches";
    EXPECT_FALSE(crowd.lot.should_wake());
    static_cast<void>(crowd.lot.stop_searching());
  });
}

TEST(ParkingLot, OneWatchesAtATimeAndOnlyIfItIsOneTooMany) {
  Crowd crowd(1);
  Sleeper sleeper;
  while_watched(crowd.lot, [&] { EXPECT_FALSE(crowd.lot.watch(sleeper, 1)); });
  Crowd few(2);
  EXPECT_FALSE(few.lot.watch(sleeper, 1));
}

}  // namespace
}  // namespace weir::sched
