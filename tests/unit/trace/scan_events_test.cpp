// SPDX-License-Identifier: Apache-2.0

#include "scan_events.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace weir::tool::report {
namespace {

TEST(ScanEvents, GivesEachEventWithItsArgsAndReturnsTheRest) {
  std::vector<ScannedEvent> events;
  const Scanned scanned = scan_events(R"({"first": [1, {"a": null}], "traceEvents": [
      {"ph":"X","name":"a \"b\" \u00e9","ts":1.5,"unknown":{"task":9},"args":{"task":7,"cancelled":true}},
      {"ph":"s","args":{"from":1,"to":2}}, {"ph":"b","args":{"from":"memory","to":"file"}}],
      "otherData": {"format": "x", "list": [{"n": -1}, {"n": 2.5}]}})",
                                      [&](const ScannedEvent& event) { events.push_back(event); });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].text(ScannedEvent::name), "a \"b\" \xc3\xa9");
  EXPECT_EQ(events[0].number(ScannedEvent::ts), 1.5);
  EXPECT_EQ(events[0].count(ScannedEvent::task), 7u);
  EXPECT_TRUE(events[0].has(ScannedEvent::cancelled));
  EXPECT_EQ(events[1].count(ScannedEvent::from), 1u);
  EXPECT_FALSE(events[1].has(ScannedEvent::name));  // nothing of the event before
  EXPECT_EQ(events[2].text(ScannedEvent::to), "file");
  EXPECT_THROW(events[2].number(ScannedEvent::to), std::runtime_error);
  EXPECT_EQ(scanned.cut_at, 0u);
  EXPECT_EQ(scanned.rest.dump(), R"({"first":[1,{"a":null}],"otherData":{"format":"x","list":[{"n":-1},{"n":2.5}]}})");
}

TEST(ScanEvents, RefusesWhatIsNoJson) {
  const auto ignore = [](const ScannedEvent&) {};
  EXPECT_THROW(scan_events("", ignore), std::runtime_error);
  EXPECT_THROW(scan_events("{\"traceEvents\":[{\"ph\":[1]}]}", ignore), std::runtime_error);
  EXPECT_TRUE(scan_events("[1, 2]", ignore).rest.is_array());
  EXPECT_TRUE(scan_events("3", ignore).rest.is_null());
}

TEST(ScanEvents, SaysWhereATextEndsEarlyOnceThereIsAnEvent) {
  int events = 0;
  const auto count = [&events](const ScannedEvent&) { ++events; };
  const std::string text = "{\"traceEvents\":[{\"ph\":\"X\"},{\"ph\":\"X\",\"args\":{\"task\":1}}";
  const Scanned cut = scan_events(text, count);
  EXPECT_EQ(events, 2);
  EXPECT_GE(cut.cut_at, text.size());
  EXPECT_TRUE(cut.rest.is_null());
  EXPECT_NE(scan_events(text.substr(0, text.size() - 3), count).cut_at, 0u);
  EXPECT_EQ(events, 3);
  EXPECT_NE(scan_events(text + "\n]lot,\"otherData\":{}}", count).cut_at, 0u);
  EXPECT_THROW(scan_events("{\"traceEvents\":[{\"ph\":", count), std::runtime_error);
}

}  // namespace
}  // namespace weir::tool::report
