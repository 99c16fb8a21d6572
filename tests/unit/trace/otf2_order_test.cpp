// SPDX-License-Identifier: Apache-2.0

// From recorded events to records in the order of time: what is kept on disk, and what backwards reading makes of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "otf2/resolved_tracks.hpp"
#include "otf2/task_numbers.hpp"
#include "otf2/time_order.hpp"
#include "temporary_path.hpp"

namespace weir::tool::convert {
namespace {

using trace::TemporaryPath;

const TimeScale kNanoseconds({0, 0}, {1000, 1000}, 0);

Event task(std::uint64_t start, std::uint64_t end, std::uint32_t number) {
  return {start, end - start, pack_task(number, 0), Event::pack(Kind::task, 0)};
}
Event event(Kind kind, std::uint64_t start, std::uint64_t end, std::uint64_t id = 0) {
  return {start, end - start, id, Event::pack(kind, 0)};
}

// As "12 enter 3": time, what, and the number of the task or the edge's other one.
std::vector<std::string> records_of(const std::vector<Event>& events) {
  const TemporaryPath path;
  UnitStack from(path.file()), to(path.file());
  for (const Event& one : events) from.push(one);
  put_in_order(from, to, kNanoseconds);
  static constexpr const char* kDoes[] = {"enter",     "leave",     "resume", "begin_move", "end_move",
                                          "wait_more", "wait_less", "happen", "come_after"};
  std::vector<std::string> result;
  for (Event unit; to.pop(unit);) {
    const Record record(unit);
    result.push_back(std::to_string(record.ns()) + " " + kDoes[static_cast<int>(record.does())] + " " +
                     std::to_string(task_number(unit.id)));
  }
  return result;
}

TEST(UnitStack, GivesBackMoreThanItHasInMemoryLastOneFirst) {
  const TemporaryPath path;
  UnitStack stack(path.file());
  std::uint64_t pushed = 0;
  const auto push = [&](std::uint64_t count) {
    for (const std::uint64_t end = pushed + count; pushed < end;) stack.push({++pushed, 0, 0, 0});
  };
  const auto pop = [&](std::uint64_t count) {
    Event unit;
    for (const std::uint64_t end = pushed - count; pushed > end; --pushed) {
      ASSERT_TRUE(stack.pop(unit));
      ASSERT_EQ(unit.start, pushed);
    }
  };
  push(30'000);
  pop(25'000);
  push(20'000);
  pop(25'000);
  Event unit;
  EXPECT_FALSE(stack.pop(unit));
  EXPECT_TRUE(stack.status());
  EXPECT_EQ(path.files(), 0);
}

TEST(UnitStack, SaysThatItsFolderIsNotThere) {
  const TemporaryPath path;
  UnitStack stack(path.folder() + "/no/file");
  for (int i = 0; i < 10'000; ++i) stack.push({});
  EXPECT_FALSE(stack.status());
}

TEST(TimeOrder, EntersWhatLiesAroundFirstAlthoughItIsRecordedLast) {
  EXPECT_EQ(
      records_of({event(Kind::spawn, 2, 3, pack_task(2, 0)), task(10, 12, 2), task(13, 20, 3), task(1, 30, 1),
                  event(Kind::park, 40, 50)}),
      (std::vector<std::string>{"1 enter 1", "2 enter 2", "3 leave 2", "10 enter 2", "12 leave 2", "12 resume 1",
                                "13 enter 3", "20 leave 3", "20 resume 1", "30 leave 1", "40 enter 0", "50 leave 0"}));
}

TEST(TimeOrder, HasTheEdgesOfATaskBeforeItInTheirOrder) {
  EXPECT_EQ(
      records_of({task(1, 2, 1), task(2, 3, 2), event(Kind::edge, 0, 0, 1), event(Kind::edge, 0, 0, 2), task(4, 5, 3)}),
      (std::vector<std::string>{"1 enter 1", "2 leave 1", "2 enter 2", "3 leave 2", "4 come_after 1", "4 come_after 2",
                                "4 enter 3", "5 leave 3"}));
}

TEST(TimeOrder, PutsWhatOverlapsWhereItBeganAndEnded) {
  EXPECT_EQ(records_of({event(Kind::move, 1, 10, 1), event(Kind::data_wait, 2, 11), event(Kind::move, 5, 12, 2),
                        event(Kind::steal, 13, 13)}),
            (std::vector<std::string>{"1 begin_move 1", "2 wait_more 0", "5 begin_move 2", "10 end_move 1",
                                      "11 wait_less 0", "12 end_move 2", "13 happen 0"}));
}

}  // namespace
}  // namespace weir::tool::convert
