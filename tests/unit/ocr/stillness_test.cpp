// SPDX-License-Identifier: Apache-2.0

// What follows from what ranks say of themselves.
#include "ocr/mail/stillness.hpp"

#include <gtest/gtest.h>

namespace weir::ocr {
namespace {

using Wave = std::vector<Stillness>;

TEST(Stillness, AllIsPerformedWhenTheSumsAreEqualAndAllAreStill) {
  EXPECT_TRUE(all_is_performed({{true, 3, {5, 2}}, {true, 0, {1, 4}}}));
  EXPECT_FALSE(all_is_performed({{true, 3, {5, 2}}, {true, 0, {1, 3}}})) << "one message is on its way";
  EXPECT_FALSE(all_is_performed({{true, 3, {5, 2}}, {false, 0, {1, 4}}})) << "a rank may send more";
  EXPECT_FALSE(all_is_performed({})) << "nobody has said anything";
}

// A message was sent to the rank that had answered, by the one that had not: the sums of one round may be equal by
// chance.
TEST(Stillness, NothingHappenedWhenTheSecondRoundIsAsTheFirst) {
  const Wave first{{true, 3, {5, 2}}, {true, 0, {1, 4}}};
  EXPECT_TRUE(nothing_happened(first, first));
  EXPECT_FALSE(nothing_happened(first, {{true, 3, {5, 3}}, {true, 0, {2, 4}}})) << "one was sent and performed";
  EXPECT_FALSE(nothing_happened(first, {{true, 4, {5, 2}}, {true, 0, {1, 4}}})) << "an EDT has ended";
  EXPECT_FALSE(nothing_happened(first, {{true, 3, {5, 2}}, {false, 0, {1, 4}}}));
  EXPECT_FALSE(nothing_happened({}, first)) << "there was no first round";
}

}  // namespace
}  // namespace weir::ocr
