// SPDX-License-Identifier: Apache-2.0

// What is found in the traces of PEs together: who came last, by whose put a wait ended.
#include <gtest/gtest.h>

#include <vector>

#include "job/meetings.hpp"
#include "job/wait_ends.hpp"
#include "pe_lines.hpp"
#include "trace/pe_events.hpp"

namespace weir::tool::job {
namespace {

using trace::Event;
using trace::Kind;
using trace::PePlace;

Event put(PePlace at, std::uint64_t bytes, trace::PePut how = trace::PePut::put) {
  return {0, 1, at.packed(), Event::pack(Kind::put, bytes, static_cast<std::uint8_t>(how))};
}

std::vector<int> ends(WaitEnds& waits) {
  std::vector<int> by;
  waits.find_ends([&](const WaitEnds::Wait&, const CallAt& call) { by.push_back(call.pe); });
  return by;
}

TEST(PePlace, KeepsItsPartsAndSaysWhenItIsNotKnown) {
  const PePlace place{1'000'000, 63, (std::uint64_t{1} << 38) - 2};
  EXPECT_EQ(PePlace::of(place.packed()), place);
  EXPECT_TRUE(PePlace::of(place.packed()).is_known());
  EXPECT_FALSE(PePlace::of(PePlace{1, 2, ~std::uint64_t{0}}.packed()).is_known());
}

TEST(MeetingBook, TheMemberThatBeganLastCameLast) {
  MeetingBook book;
  book.came(7, 0, 100);
  book.came(7, 1, 300);
  book.came(7, 2, 200);
  book.came(8, 2, 900);
  EXPECT_EQ(book.last(7).pe, 1);
  EXPECT_EQ(book.last(7).start, 300);
  EXPECT_EQ(book.last(7).seen, 3U);
  EXPECT_EQ(book.last(9).seen, 0U);
}

TEST(WaitEnds, AWaitIsEndedByTheLastPutToItsWordBeforeItsEnd) {
  WaitEnds waits;
  const PePlace word{2, 1, 64};
  waits.add_wait({{.pe = 2, .start = 10, .end = 50}, word, 8});
  waits.add_put(put(word, 8), {.pe = 0, .start = 20, .end = 20 + 1});
  waits.add_put(put(word, 8), {.pe = 1, .start = 40, .end = 40 + 1});
  waits.add_put(put(word, 8), {.pe = 3, .start = 60, .end = 60 + 1});
  EXPECT_EQ(ends(waits), std::vector{1});
}

TEST(WaitEnds, PutsToOtherWordsPesAndSegmentsEndNothing) {
  WaitEnds waits;
  waits.add_wait({{.pe = 2, .start = 10, .end = 50}, {2, 1, 64}, 8});
  waits.add_put(put({2, 1, 72}, 8), {.pe = 0, .start = 20, .end = 20 + 1});
  waits.add_put(put({3, 1, 64}, 8), {.pe = 0, .start = 20, .end = 20 + 1});
  waits.add_put(put({2, 0, 64}, 8), {.pe = 0, .start = 20, .end = 20 + 1});
  EXPECT_EQ(ends(waits), std::vector{-1});
}

TEST(WaitEnds, TheLastWordOfALongPutAndAWordOfSeveralCount) {
  WaitEnds waits;
  waits.add_wait({{.pe = 2, .start = 10, .end = 50}, {2, 1, 1016}, 8});
  waits.add_wait({{.pe = 2, .start = 60, .end = 90}, {2, 1, 2000}, 64});
  waits.add_put(put({2, 1, 0}, 1024), {.pe = 5, .start = 20, .end = 20 + 1});
  waits.add_put(put({2, 1, 2024}, 8), {.pe = 6, .start = 70, .end = 70 + 1});
  EXPECT_EQ(ends(waits), (std::vector{5, 6}));
}

TEST(WaitEnds, OfAPutWithASignalTheSignalCountsAndNotTheBytes) {
  WaitEnds waits;
  waits.add_wait({{.pe = 2, .start = 10, .end = 50}, {2, 1, 0}, 8});
  waits.add_wait({{.pe = 2, .start = 10, .end = 50}, {2, 1, 4088}, 8});
  waits.add_put(put({2, 1, 0}, 4096, trace::PePut::signal), {.pe = 4, .start = 20, .end = 20 + 1});
  EXPECT_EQ(ends(waits), (std::vector{4, -1}));
}

TEST(PeCall, NamesWhatWasCalled) {
  const auto call = convert::pe_call(Kind::atomic, 8, PePlace{3, 0, 0}.packed(), 8);
  EXPECT_EQ(call.name, "fetch_add");
  EXPECT_EQ(call.pe, 3U);
  EXPECT_EQ(convert::pe_call(Kind::meet, 7, 0, 16).name, "reduce");
  EXPECT_EQ(convert::pe_call(Kind::order, 200, 0, 0).name, "order");
}

}  // namespace
}  // namespace weir::tool::job
